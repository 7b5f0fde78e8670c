#include "model/muparser.h"

#include <clocale>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <locale.h>
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

constexpr char digits[] = "0123456789";

/* Digits, a point among them or not, and an exponent. muParser reads numbers from a stream, which takes a failed allocation for a
 * text that is no number: without memory a scenario would be told to hold unknown names. Whatever is no number here is left to it.
 */
int number_read(const char *text, int *position, double *value) {
    static const locale_t c_locale = newlocale(LC_NUMERIC_MASK, "C", nullptr);
    const size_t n_whole = std::strspn(text, digits), n_point = text[n_whole] == '.' ? 1 : 0;
    const size_t n_fraction = n_point ? std::strspn(text + n_whole + 1, digits) : 0;
    const char *exponent = text + n_whole + n_point + n_fraction;
    if (n_whole + n_fraction == 0 || c_locale == nullptr)
        return 0;
    if (*exponent == 'e' || *exponent == 'E') {
        const size_t n_sign = exponent[1] == '+' || exponent[1] == '-' ? 1 : 0;
        if (std::strspn(exponent + 1 + n_sign, digits) == 0)
            return 0;
    }
    if (n_whole == 1 && (text[1] == 'x' || text[1] == 'X')) /* which strtod takes for a base */
        return 0;
    char *end = nullptr;
    const double number = strtod_l(text, &end, c_locale);
    if (std::isinf(number))
        return 0;
    *position += static_cast<int>(end - text);
    *value = number;
    return 1;
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
            made->parser.AddValIdent(number_read);
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
