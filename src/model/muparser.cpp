#include "model/muparser.h"

#include <cmath>
#include <limits>
#include <new>

#include <muParser.h>

struct sarrus_muparser {
    mu::Parser parser;
};

namespace {

/* Calls `work` and says what it came to. */
template <typename Work> sarrus_muparser_outcome guarded(Work work, sarrus_muparser_fault *fault) noexcept {
    try {
        work();
        return SARRUS_MUPARSER_DONE;
    } catch (const mu::ParserError &error) {
        *fault = {static_cast<int>(error.GetCode()), static_cast<int>(error.GetPos())};
        return SARRUS_MUPARSER_REFUSED;
    } catch (...) { /* std::bad_alloc; nothing else is thrown by what only computes */
        return SARRUS_MUPARSER_NO_MEMORY;
    }
}

double hypotenuse(double x, double y) {
    return std::hypot(x, y);
}

} // namespace

sarrus_muparser *sarrus_muparser_create(void) {
    sarrus_muparser *made = nullptr;
    sarrus_muparser_fault fault = {0, 0};
    const sarrus_muparser_outcome outcome = guarded(
        [&] {
            made = new sarrus_muparser;
            made->parser.ClearConst();
            made->parser.DefineFun("hypot", hypotenuse);
        },
        &fault);
    if (outcome == SARRUS_MUPARSER_DONE)
        return made;
    delete made;
    return nullptr;
}

void sarrus_muparser_destroy(sarrus_muparser *parser) {
    delete parser;
}

sarrus_muparser_outcome sarrus_muparser_constant(sarrus_muparser *parser, const char *name, double value) {
    sarrus_muparser_fault fault = {0, 0};
    return guarded([&] { parser->parser.DefineConst(name, value); }, &fault);
}

sarrus_muparser_outcome sarrus_muparser_variable(sarrus_muparser *parser, const char *name, double *address) {
    sarrus_muparser_fault fault = {0, 0};
    return guarded([&] { parser->parser.DefineVar(name, address); }, &fault);
}

sarrus_muparser_outcome sarrus_muparser_compile(sarrus_muparser *parser, const char *text, double *value, int *n_values,
                                                sarrus_muparser_fault *fault) {
    return guarded(
        [&] {
            parser->parser.SetExpr(text);
            const double *values = parser->parser.Eval(*n_values);
            *value = values[*n_values - 1];
        },
        fault);
}

double sarrus_muparser_evaluate(sarrus_muparser *parser) {
    double value = std::numeric_limits<double>::quiet_NaN();
    sarrus_muparser_fault fault = {0, 0};
    (void)guarded([&] { value = parser->parser.Eval(); }, &fault);
    return value;
}
