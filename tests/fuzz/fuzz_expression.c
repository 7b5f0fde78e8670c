/* Any text to the reader of expressions: no crash, no leak; a fault lies within the text, and what was compiled gives the same
 * number again for the same parameters. The first byte says how many of the parameters L and m are bound. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/expression.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool condition) {
    if (!condition) {
        abort();
    }
}

/* The words that are found tile the text from left to right. */
static void walk_words(const char *text) {
    const char *end = text + strlen(text);
    size_t length = 0;
    for (const char *word = sarrus_expression_next_word(text, &length); word != NULL;
         word = sarrus_expression_next_word(word + length, &length)) {
        must(word >= text && length > 0 && word + length <= end);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) {
        return 0;
    }
    char *text = strndup((const char *)data + 1, size - 1);
    sarrus_expression *expression = NULL;
    double parameters[2] = {2.0, -3.0}, value = 0.0;
    sarrus_expression_fault fault = {0};
    must(text != NULL && sarrus_expression_create(&expression) == SARRUS_OK);
    for (int i = 0; i < data[0] % 3; ++i) {
        must(sarrus_expression_bind(expression, i == 0 ? "L" : "m", &parameters[i]) == SARRUS_OK);
    }
    walk_words(text);
    (void)sarrus_expression_name_fault(text);
    const sarrus_status status = sarrus_expression_compile(expression, text, &value, &fault);
    must(status == SARRUS_OK || status == SARRUS_BAD_INPUT);
    if (status == SARRUS_BAD_INPUT) {
        must(fault.message != NULL && fault.position + fault.n_token <= strlen(text));
    } else {
        const double again = sarrus_expression_evaluate(expression);
        must(again == value || (isnan(again) && isnan(value)));
        parameters[0] = HUGE_VAL;
        (void)sarrus_expression_evaluate(expression);
    }
    sarrus_expression_destroy(expression);
    free(text);
    return 0;
}
