// Formulations and pseudoinverses on the same states.
#include <cstdint>
#include <memory>

#include <nanobind/nanobind.h>
#include "bind.h"
#include "failure.h"
#include "interrupt.h"
#include "model.h"
#include "sarrus/compare.h"
#include "unlocked.h"

namespace sarrus_python {

// Of a comparison, destroyed with it.
struct ComparisonEnd {
    void operator()(sarrus_comparison *comparison) const {
        sarrus_comparison_destroy(comparison);
    }
};

static nb::dict row_of(const sarrus_comparison *comparison, int i) {
    sarrus_compare_row row;
    nb::dict out;
    if (sarrus_comparison_row(comparison, i, &row) != SARRUS_OK)
        return out;
    out["formulation"] = sarrus_formulation_word(row.formulation);
    out["pinv"] = sarrus_pinv_method_word(row.pinv);
    out["rank"] = sarrus_rank_method_word(row.rank);
    out["verdict"] = sarrus_compare_verdict_word(row.verdict);
    out["reason"] = row.reason;
    out["acceleration"] = row.acceleration;
    out["force"] = row.force;
    out["reaction"] = row.reaction;
    out["inconsistent"] = row.inconsistent;
    out["flops"] = row.flops;
    out["nanoseconds"] = row.nanoseconds;
    out["n_states"] = row.n_states;
    out["n_wrong"] = row.n_wrong;
    return out;
}

static nb::dict states_of(const sarrus_comparison *comparison) {
    sarrus_compare_states states;
    nb::dict out;
    sarrus_comparison_states(comparison, &states);
    out["n"] = states.n;
    out["m"] = states.m;
    out["n_trajectory"] = states.n_trajectory;
    out["n_random"] = states.n_random;
    out["n_inconsistent"] = states.n_inconsistent;
    out["rank_least"] = states.rank_least;
    out["rank_most"] = states.rank_most;
    out["n_doubtful"] = states.n_doubtful;
    out["n_unique_a"] = states.n_unique_a;
    out["n_unique_lambda"] = states.n_unique_lambda;
    out["n_unique_multipliers"] = states.n_unique_multipliers;
    out["condition_least"] = states.condition_least;
    out["condition_most"] = states.condition_most;
    out["tolerance"] = states.tolerance;
    return out;
}

// What S5 counts, by formulation.
static nb::dict paper_of(const sarrus_comparison *comparison) {
    static const sarrus_formulation all[] = {
#define SARRUS_FORMULATION(name, value, word, kernel, dense, text) SARRUS_FORMULATION_##name,
#include "sarrus/formulation.def"
    };
    sarrus_compare_states states;
    nb::dict out;
    sarrus_comparison_states(comparison, &states);
    for (const sarrus_formulation formulation : all) {
        const sarrus_compare_paper paper = sarrus_compare_paper_of(formulation, states.m, states.n);
        if (*paper.equation == '\0')
            continue;
        nb::dict of;
        of["equation"] = paper.equation;
        of["table_1"] = paper.table_1;
        of["tables_2_to_5"] = paper.lines;
        out[sarrus_formulation_word(formulation)] = of;
    }
    return out;
}

// (what is known of the states, rows, the number of the row that differences are from or −1, what S5 counts)
static nb::tuple compare(const Model &model, int n_states, uint64_t seed, bool rank_methods, double seconds) {
    volatile int32_t stop = 0;
    Context context;
    sarrus_compare_options options = {};
    options.size = sizeof options;
    options.n_states = n_states;
    options.seed = seed;
    options.rank_methods = rank_methods ? 1 : 0;
    options.seconds = seconds;
    options.stop = &stop;
    const sarrus_model *single = model.single();
    sarrus_comparison *made = nullptr;
    sarrus_status status;
    Interrupt interrupt(&stop);
    {
        Unlocked unlocked;
        status = sarrus_compare(context.get(), single, &options, &made);
    }
    const std::unique_ptr<sarrus_comparison, ComparisonEnd> comparison(made);
    interrupt.end();
    context.check(status, "the formulations cannot be compared");
    nb::list rows;
    for (int i = 0; i < sarrus_comparison_n_rows(made); ++i)
        rows.append(row_of(made, i));
    return nb::make_tuple(states_of(made), rows, sarrus_comparison_reference(made), paper_of(made));
}

void compare_bind(nb::module_ &module) {
    module.def("compare", &compare, nb::arg("model"), nb::arg("n_states"), nb::arg("seed"), nb::arg("rank_methods"),
               nb::arg("seconds"));
}

} // namespace sarrus_python
