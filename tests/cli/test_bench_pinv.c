/* `sarrus bench pinv`: every class of matrices passes its gate, and the losses of the methods that lose are to be seen. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/program.h"

static void the_accuracy_passes_its_gate(void **state) {
    (void)state;
    const said *s = RUN("bench", "pinv", "--quick", "--accuracy", "-o", "pinv.json");
    if (s->code != 0)
        fail_msg("exit code %d: %s%s", s->code, s->out, s->err);
    assert_string_equal(s->err, "");
    assert_null(strstr(s->out, "FAILED"));
    assert_non_null(strstr(s->out, "five-bar, assembled"));
    assert_non_null(strstr(s->out, "Lauchli 1e-8"));
    assert_true(file_exists("pinv.json"));
    /* A terminal of 132 columns shows every line whole. */
    for (const char *line = s->out; *line != '\0'; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 132);
    /* A loss is shown: Läuchli's Gram matrix with 1e-8 is singular in doubles, and what forms it cannot find the rank. */
    const char *loss = strstr(s->out, "ranks other than the reference's");
    assert_non_null(loss);
    loss = strstr(loss, "Lauchli 1e-8");
    assert_non_null(loss);
    const char *loser = strstr(loss, " normal ");
    assert_non_null(loser);
    assert_true(loser < loss + strcspn(loss, "\n"));
}

static void bad_usage_is_refused(void **state) {
    (void)state;
    assert_int_equal(RUN("bench", "pinv", "--bogus")->code, 2);
    assert_int_equal(RUN("bench", "pinv", "--threads", "0")->code, 2);
    assert_int_equal(RUN("bench", "pinv", "--largest")->code, 2);
    assert_int_equal(RUN("bench", "pinv", "--help")->code, 0);
    assert_int_equal(RUN("bench", "pinv", "--quick", "--accuracy", "-o", "no/such/folder/pinv.json")->code, 3);
}

/* Exit code 4 and one line that says what is missing, of a build without kernels for CUDA and of one whose devices are hidden. */
static void without_a_device_it_says_so(void **state) {
    (void)state;
    assert_int_equal(setenv("CUDA_VISIBLE_DEVICES", "", 1), 0);
    const said *s = RUN("bench", "pinv", "--backend", "cuda", "--quick");
    assert_int_equal(s->code, 4);
    assert_non_null(strstr(s->err, "the backend 'cuda'"));
    assert_string_equal(s->out, "");
    s = RUN("bench", "step", "--backend", "cuda", "--quick");
    assert_int_equal(s->code, 4);
    assert_non_null(strstr(s->err, "the backend 'cuda'"));
    assert_int_equal(RUN("bench", "pinv", "--backend", "metal")->code, 2);
    assert_int_equal(RUN("bench", "step", "--backend", "metal")->code, 2);
    assert_int_equal(unsetenv("CUDA_VISIBLE_DEVICES"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_accuracy_passes_its_gate),
        cmocka_unit_test(bad_usage_is_refused),
        cmocka_unit_test(without_a_device_it_says_so),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}
