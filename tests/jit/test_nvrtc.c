/* Kernels for one plan on CUDA devices, as far as they can be tested without a device: that scenarios compile to a cubin with
 * the kernel in it, that the compiler's report is read and the launch bounds follow from it, and that what can go wrong ends in a
 * reason. The path of the compiler's library may be given by SARRUS_NVRTC; skipped where there is none. One scenario compiles for
 * sm_80, the others for sm_90, and those whose plans differ in numbers alone once; some of them unless all are asked for
 * (case_choice.h). With the argument 80 or 90 all are compiled for that architecture: the table of docs/specialize.md. */
#include <elf.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "edge/kernel_places.h"
#include "jit/cuda_object.h"
#include "jit/plan_text.h"
#include "tests/support/case_choice.h"
#include "tests/support/mechanism.h"
#include "tests/support/place.h"

enum { MOST_SHAPES = 64 };

static sarrus_nvrtc *nvrtc; /* NULL: not on this machine */
static int32_t main_architecture = 90, another = 80;
static bool compiles_all;         /* for the table */
static char *shapes[MOST_SHAPES]; /* of the plans that have been compiled */
static size_t n_shapes;

static sarrus_nvrtc *require_nvrtc(void) {
    if (nvrtc == NULL)
        skip();
    return nvrtc;
}

static sarrus_cuda_request request_for(const sarrus_plan *plan, char *plan_text, int32_t architecture) {
    const sarrus_cuda_request request = {.sources = sarrus_embedded_sources,
                                         .n_sources = sarrus_n_embedded_sources,
                                         .plan_text = plan_text,
                                         .n_flops = sarrus_plan_text_flops(plan),
                                         .architecture = architecture};
    assert_non_null(plan_text);
    return request;
}

/* The text of a plan without its numbers: a '#' for every one that is not whole. Zeros stay, which a compiler may go by. */
static char *shape_of(const char *text) {
    char *shape = strdup(text), *to = shape;
    assert_non_null(shape);
    for (const char *at = text; *at != '\0';) {
        const size_t n = strncmp(at, "0x", 2) == 0 ? strspn(at, "0123456789abcdefpx.+-") : 0;
        if (n > 0 && strncmp(at, "0x0p+0", n) != 0) {
            *to++ = '#';
            at += n;
        } else {
            *to++ = *at++;
        }
    }
    *to = '\0';
    return shape;
}

/* Notes that a plan is compiled; false when one like it has been. */
static bool shape_is_new(const char *text) {
    char *shape = shape_of(text);
    for (size_t i = 0; i < n_shapes; ++i) {
        if (strcmp(shapes[i], shape) == 0) {
            free(shape);
            return false;
        }
    }
    assert_true(n_shapes < MOST_SHAPES);
    shapes[n_shapes++] = shape;
    return true;
}

static void test_shapes(void **state) {
    (void)state;
    char *shape = shape_of("{.n = 12, .x = {-0x1.8p-2,0x0p+0,}, .y = 0x1p+0};");
    assert_string_equal(shape, "{.n = 12, .x = {-#,0x0p+0,}, .y = #};");
    free(shape);
}

/* The report of ptxas, release 13.0, for a kernel that calls three functions, of which two hardly ever run, and one without. */
static const char report_text[] = "ptxas info    : 3056 bytes gmem\n"
                                  "ptxas info    : Compiling entry function 'first' for 'sm_90'\n"
                                  "ptxas info    : Function properties for first\n"
                                  "ptxas         .     4768 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n"
                                  "ptxas info    : Used 168 registers, used 0 barriers, 5144 bytes cumulative stack size\n"
                                  "ptxas info    : Compile time = 1613.326 ms\n"
                                  "ptxas info    : Function properties for _Z10sarrus_rk4\n"
                                  "ptxas         .     0 bytes stack frame, 92 bytes spill stores, 180 bytes spill loads\n"
                                  "ptxas info    : Function properties for _Z17sarrus_look_aheadP17sarrus_evaluation\n"
                                  "ptxas         .     0 bytes stack frame, 3000 bytes spill stores, 3000 bytes spill loads\n"
                                  "ptxas info    : Function properties for _Z18sarrus_correct_svd\n"
                                  "ptxas         .     0 bytes stack frame, 1000 bytes spill stores, 1000 bytes spill loads\n"
                                  "ptxas info    : Compiling entry function 'second' for 'sm_90'\n"
                                  "ptxas info    : Function properties for second\n"
                                  "ptxas         .     16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                                  "ptxas info    : Used 32 registers, used 1 barriers, 2048 bytes smem, 400 bytes cmem[0]\n";

static void test_report(void **state) {
    (void)state;
    sarrus_cuda_report r;
    assert_true(sarrus_cuda_report_read(report_text, "first", &r));
    assert_int_equal(r.n_registers, 168);
    assert_int_equal(r.n_stack_bytes, 5144);
    assert_int_equal(r.n_spill_stores, 100);
    assert_int_equal(r.n_spill_loads, 192);
    assert_int_equal(r.n_shared_bytes, 0);
    assert_true(sarrus_cuda_report_read(report_text, "second", &r));
    assert_int_equal(r.n_registers, 32);
    assert_int_equal(r.n_stack_bytes, 16);
    assert_int_equal(r.n_spill_stores, 0);
    assert_int_equal(r.n_shared_bytes, 2048);
    assert_false(sarrus_cuda_report_read(report_text, "sec", &r));
    assert_false(sarrus_cuda_report_read("", "first", &r));
    assert_false(sarrus_cuda_report_read("Compiling entry function 'first' for\nUsed registers\n", "first", &r));
}

/* Registers come in units of 8 a thread, 16384 to a quarter of a multiprocessor. */
static void test_warps(void **state) {
    (void)state;
    const sarrus_cuda_bounds bounds = {64, 1};
    const struct {
        int32_t n_registers, n_warps;
    } cases[] = {{255, 8}, {256, 8}, {169, 8}, {168, 12}, {128, 16}, {80, 24}, {64, 32}, {32, 64}, {16, 64}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const sarrus_cuda_report r = {.n_registers = cases[i].n_registers};
        assert_int_equal(sarrus_cuda_warps(&r, &bounds), cases[i].n_warps);
    }
}

static void test_rule(void **state) {
    (void)state;
    const sarrus_cuda_bounds *tried = sarrus_cuda_bounds_tried;
    const sarrus_cuda_report large = {.n_registers = 255}, small = {.n_registers = 96}, spilt = {128, 0, 480, 480, 0, false};
    const sarrus_cuda_report half = {.n_registers = 128};
    assert_false(sarrus_cuda_bounds_would_bind(&tried[0], &large));
    assert_true(sarrus_cuda_bounds_would_bind(&tried[1], &large));
    assert_false(sarrus_cuda_bounds_would_bind(&tried[2], &small));
    assert_true(sarrus_cuda_bounds_would_bind(&tried[3], &small));
    /* More warps are better, spilled registers worse: 0.8 of 16 warps is more than 0.667 of 8, but not with 960 bytes of spills,
     * which take 240 cycles, in an evaluation of 500 flops, which takes 580. In one of 50,000 flops they hardly count. */
    assert_true(sarrus_cuda_expected_use(&half, &tried[2], 500.0) > sarrus_cuda_expected_use(&large, &tried[0], 500.0));
    assert_true(sarrus_cuda_expected_use(&spilt, &tried[2], 500.0) < sarrus_cuda_expected_use(&large, &tried[0], 500.0));
    assert_true(sarrus_cuda_expected_use(&spilt, &tried[2], 5e4) > sarrus_cuda_expected_use(&large, &tried[0], 5e4));
}

/* In stretches spills are those of one function, and stores to local memory have a price of their own: of the five-bar
 * parallelogram in the coordinates of its bodies 168 registers spill 1,056 bytes in place of 492, which more warps do not make up
 * for; over its tree 320 in place of 16, which they do, and 128 registers 716, which they do not. */
static void test_rule_of_stretches(void **state) {
    (void)state;
    const sarrus_cuda_bounds *tried = sarrus_cuda_bounds_tried;
    const sarrus_cuda_report bodies[] = {{255, 0, 492, 512, 18432, true}, {168, 0, 1056, 1080, 18432, true}};
    const sarrus_cuda_report tree[] = {
        {255, 0, 16, 48, 6144, true}, {168, 0, 320, 344, 6144, true}, {128, 0, 716, 656, 6144, true}};
    assert_true(sarrus_cuda_expected_use(&bodies[1], &tried[1], 512.0) < sarrus_cuda_expected_use(&bodies[0], &tried[0], 512.0));
    assert_true(sarrus_cuda_expected_use(&tree[1], &tried[1], 767.0) > sarrus_cuda_expected_use(&tree[0], &tried[0], 767.0));
    assert_true(sarrus_cuda_expected_use(&tree[2], &tried[2], 767.0) < sarrus_cuda_expected_use(&tree[1], &tried[1], 767.0));
    const char *const text = "Compiling entry function 'k' for 'sm_90'\n"
                             "Function properties for k\n"
                             "    64 bytes stack frame, 48 bytes spill stores, 44 bytes spill loads\n"
                             "Used 255 registers, 9136 bytes cumulative stack size, 18432 bytes smem\n"
                             "Function properties for _Z10sarrus_rk4\n"
                             "    0 bytes stack frame, 700 bytes spill stores, 800 bytes spill loads\n"
                             "Function properties for _Z17sarrus_stretch_go\n"
                             "    0 bytes stack frame, 492 bytes spill stores, 512 bytes spill loads\n";
    sarrus_cuda_report r;
    assert_true(sarrus_cuda_report_read(text, "k", &r));
    assert_true(r.has_stretches);
    assert_int_equal(r.n_spill_stores, 492);
    assert_int_equal(r.n_spill_loads, 512);
    assert_int_equal(r.n_shared_bytes, 18432);
}

/* A compiler that keeps what it has compiled, and then has no report, as releases from 12.9 on where there is a driver. */
static const char keeping_compiler[] =
    "#include <string.h>\n"
    "static int is_kept;\n"
    "int nvrtcVersion(int *major, int *minor) { *major = 12, *minor = MINOR; return 0; }\n"
    "const char *nvrtcGetErrorString(int r) { return r ? \"an option\" : \"\"; }\n"
    "int nvrtcCreateProgram(void **p, const char *t, const char *n, int c, const char *const *h, const char *const *i) {\n"
    "    *p = &is_kept; return (t && n && c && h && i) ? 0 : 3; }\n"
    "int nvrtcDestroyProgram(void **p) { *p = 0; return 0; }\n"
    "int nvrtcCompileProgram(void *p, int n, const char *const *option) {\n"
    "    is_kept = 1;\n"
    "    for (int i = 0; i < n; ++i)\n"
    "        if (strcmp(option[i], \"--no-cache\") == 0) { is_kept = 0; if (MINOR < 9) return 5; }\n"
    "    return p ? 0 : 4; }\n"
    "static const char *report(void) { return is_kept ? \"\" : \"Compiling entry function 'sarrus_specialized_advance' for\\n\"\n"
    "    \"Function properties for x\\n 8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\\nUsed 40 registers\\n\"; "
    "}\n"
    "int nvrtcGetProgramLogSize(void *p, size_t *n) { *n = strlen(report()) + 1; return p ? 0 : 4; }\n"
    "int nvrtcGetProgramLog(void *p, char *log) { strcpy(log, report()); return p ? 0 : 4; }\n"
    "int nvrtcGetCUBINSize(void *p, size_t *n) { *n = 5; return p ? 0 : 4; }\n"
    "int nvrtcGetCUBIN(void *p, char *cubin) { memcpy(cubin, \"cubin\", 5); return p ? 0 : 4; }\n";

static sarrus_nvrtc *keeping_compiler_open(const char *folder, int minor) {
    char path[128], command[512];
    (void)snprintf(path, sizeof path, "%s/keeping.c", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(keeping_compiler, file) >= 0);
    assert_int_equal(fclose(file), 0);
    (void)snprintf(command, sizeof command, "cc -w -shared -fPIC -DMINOR=%d -o %s/libkeeping_%d.so %s", minor, folder, minor, path);
    assert_int_equal(system(command), 0);
    (void)snprintf(path, sizeof path, "%s/libkeeping_%d.so", folder, minor);
    sarrus_fallback_reason reason = {""};
    sarrus_nvrtc *opened = sarrus_nvrtc_open(path, NULL, &reason);
    if (!opened)
        fail_msg("%s", reason.text);
    return opened;
}

/* From 12.9 on it is asked not to keep anything, and tells of registers; before, the option is unknown. What has no report is
 * taken, with a note, and other bounds are not tried. */
static void test_compiler_that_keeps(void **state) {
    (void)state;
    char folder[] = "/tmp/sarrus_keeping_XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    for (int minor = 8; minor <= 9; ++minor) {
        sarrus_nvrtc *keeping = keeping_compiler_open(folder, minor);
        const sarrus_cuda_request request = {sarrus_embedded_sources, sarrus_n_embedded_sources, "", 100.0, 90};
        sarrus_cuda_object object;
        sarrus_fallback_reason reason = {""};
        if (!sarrus_cuda_object_make(keeping, &request, NULL, &object, &reason))
            fail_msg("12.%d: %s", minor, reason.text);
        assert_int_equal(object.lacks_report, minor < 9);
        assert_int_equal(object.report.n_registers, minor < 9 ? 255 : 40);
        assert_int_equal(strstr(reason.text, "told nothing of registers") != NULL, minor < 9);
        sarrus_cuda_object_free(&object);
        sarrus_nvrtc_close(keeping);
    }
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

static void test_no_library(void **state) {
    (void)state;
    sarrus_fallback_reason reason = {""};
    assert_null(sarrus_nvrtc_open("/nowhere/libnvrtc.so", NULL, &reason));
    assert_non_null(strstr(reason.text, "cannot be loaded"));
    reason.text[0] = '\0';
    assert_null(sarrus_nvrtc_open("libm.so.6", NULL, &reason)); /* a library, but another one */
    assert_non_null(strstr(reason.text, "not of release 12"));
}

/* Whether the ELF file has this symbol as a global function, and how many symbols are left to be linked. (A weak one is: where the
 * shared memory begins that the driver keeps for itself; one without a name comes with shared memory of the kernel's own.) */
static bool cubin_has(const sarrus_object_bytes *cubin, const char *name, int *n_undefined) {
    Elf64_Ehdr head;
    bool is_there = false;
    *n_undefined = 0;
    assert_true(cubin->n_bytes > sizeof head);
    memcpy(&head, cubin->bytes, sizeof head);
    assert_memory_equal(head.e_ident, ELFMAG, SELFMAG);
    assert_int_equal(head.e_ident[EI_CLASS], ELFCLASS64);
    assert_int_equal(head.e_machine, 190); /* EM_CUDA */
    for (int i = 0; i < head.e_shnum; ++i) {
        Elf64_Shdr section, strings;
        memcpy(&section, cubin->bytes + head.e_shoff + (size_t)i * head.e_shentsize, sizeof section);
        if (section.sh_type != SHT_SYMTAB)
            continue;
        memcpy(&strings, cubin->bytes + head.e_shoff + (size_t)section.sh_link * head.e_shentsize, sizeof strings);
        for (size_t at = sizeof(Elf64_Sym); at < section.sh_size; at += sizeof(Elf64_Sym)) { /* the first one is none */
            Elf64_Sym symbol;
            memcpy(&symbol, cubin->bytes + section.sh_offset + at, sizeof symbol);
            const char *word = (const char *)cubin->bytes + strings.sh_offset + symbol.st_name;
            *n_undefined += symbol.st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_WEAK && word[0] != '\0';
            if (strcmp(word, name) == 0)
                is_there = ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC;
        }
    }
    return is_there;
}

/* A scenario, and what of it is replaced: NULL and false are its own. */
typedef struct subject {
    const char *file, *formulation;
    bool is_single;
} subject;

/* Ordinary steps of the five-bar stay in registers and shared memory (docs/cuda.md): bytes that a stretch may store, for want of
 * registers, in local memory. */
static void check_stretch(const subject *what, int32_t architecture, const sarrus_cuda_report *r) {
    if (strcmp(what->file, "five_bar_monte_carlo.yaml") != 0 || architecture != 90)
        return;
    assert_true(r->has_stretches);
    assert_in_range(r->n_spill_stores, 0, what->is_single ? 0 : what->formulation ? 128 : 700);
    /* places for speeds are those of the bodies */
    assert_int_equal(r->n_shared_bytes, 64 * (what->is_single ? 4 : 8) * (what->formulation ? 4 + 2 * 12 : 36));
}

/* Compiles one scenario within given bounds, without looking for the best ones. */
static void compile_subject(const subject *what, int32_t architecture) {
    const char *const file = what->file;
    const sarrus_override settings[] = {
        {"dynamics.formulation", what->formulation}, {what->is_single ? "integrator.precision" : NULL, "single"}, {NULL, NULL}};
    mechanism m = mechanism_open_file(file, what->formulation ? settings : NULL);
    const sarrus_plan *plan = sarrus_plan_stepped(m.plan);
    const char *why_not = NULL;
    if (!sarrus_cuda_plan_fits(plan, &why_not)) {
        print_message("%s: %s\n", file, why_not);
        mechanism_close(&m);
        return;
    }
    char *text = sarrus_plan_text(plan, SARRUS_PLAN_TEXT_STRAIGHT), *report = NULL;
    const sarrus_cuda_request request = request_for(plan, text, architecture);
    if (!shape_is_new(text) && !compiles_all) {
        free(text);
        mechanism_close(&m);
        return;
    }
    const sarrus_nvrtc_unit unit = {request.sources, request.n_sources, "kernels/cuda/specialized.cu", text, architecture, {64, 4}};
    sarrus_object_bytes cubin;
    sarrus_cuda_report r;
    sarrus_fallback_reason reason = {""};
    int n_undefined = 0;
    if (!sarrus_nvrtc_compile(nvrtc, &unit, &cubin, &report, &reason))
        fail_msg("%s for sm_%d: %s", file, architecture, reason.text);
    assert_true(cubin_has(&cubin, SARRUS_CUDA_KERNEL, &n_undefined));
    assert_int_equal(n_undefined, 0);
    if (!sarrus_cuda_report_read(report, SARRUS_CUDA_KERNEL, &r))
        fail_msg("no report in:\n%s", report);
    assert_in_range(r.n_registers, 16, 255);
    check_stretch(what, architecture, &r);
    assert_in_range(r.n_shared_bytes, 0, 36 * 1024); /* sums of stretches, of which there are four blocks here */
    print_message("| `%s` | sm_%d | %.0f | %d | %d | %d | %d |\n", file, architecture, sarrus_plan_text_flops(plan), r.n_registers,
                  r.n_stack_bytes, r.n_spill_stores, r.n_spill_loads);
    free(cubin.bytes);
    free(report);
    free(text);
    mechanism_close(&m);
}

static void compile_scenario(const char *file, int32_t architecture) {
    compile_subject(&(subject){.file = file}, architecture);
}

/* Scenarios that stand for the others: a spring and long code, a drive, loops projected or not, a ground that moves
 * (case_choice.h). */
static bool stands_for_others(const char *file) {
    static const char *const files[] = {"andrews.yaml", "driven_crank.yaml", "five_bar.yaml", "five_bar_monte_carlo.yaml",
                                        "kapitza_pendulum.yaml"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        if (strcmp(file, files[i]) == 0)
            return true;
    }
    return false;
}

/* Of other mechanisms one each will do; and a document of several scenarios names others of the folder. */
static bool is_planar(const char *path) {
    char text[4096];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return strstr(text, "\nspace: planar\n") != NULL;
}

static void test_scenarios(void **state) {
    (void)state;
    glob_t found;
    (void)require_nvrtc();
    /* What NVRTC makes of a scenario does not depend on how the test was built; with sanitizers the two above are enough. */
    if (cases_are_few())
        skip();
    assert_int_equal(glob(place_of_source("/scenarios/*.yaml"), 0, NULL, &found), 0);
    assert_true(found.gl_pathc >= 11);
    for (size_t i = 0; i < found.gl_pathc; ++i) {
        const char *const file = strrchr(found.gl_pathv[i], '/') + 1;
        if (is_planar(found.gl_pathv[i]) && (compiles_all || cases_take(!stands_for_others(file))))
            compile_scenario(file, main_architecture);
    }
    globfree(&found);
}

static void test_other_architecture(void **state) {
    (void)state;
    (void)require_nvrtc();
    compile_scenario("four_bar.yaml", another);
}

/* The bodies of space and of trees: that they compile for a device, whatever the plan. */
static void test_space_and_trees(void **state) {
    (void)state;
    (void)require_nvrtc();
    compile_scenario("heavy_top.yaml", main_architecture);
    if (cases_are_few())
        skip();
    static const char *const files[] = {"pendulum.yaml", "five_bar_monte_carlo.yaml", "heavy_top.yaml"};
    for (int i = 0; i < 3; ++i) {
        const subject over_tree = {files[i], "relative", false};
        compile_subject(&over_tree, main_architecture);
        if (i != 1)
            compile_subject(&over_tree, another);
    }
    compile_subject(&(subject){"five_bar_monte_carlo.yaml", "relative", true}, main_architecture);
    compile_subject(&(subject){"spatial_four_bar.yaml", "recursive", true}, another);
}

static void test_too_large(void **state) {
    (void)state;
    mechanism m = mechanism_open_file("n_four_bar_40.yaml", NULL);
    const char *why_not = NULL;
    assert_false(sarrus_cuda_plan_fits(m.plan, &why_not));
    assert_non_null(strstr(why_not, "too large"));
    mechanism_close(&m);
}

static void test_broken_text(void **state) {
    (void)state;
    const char *const texts[] = {"", "this is no plan\n", "#include \"nowhere.h\"\n", "#error no plan today\n"};
    const char *const words[] = {"failed: ", "failed: sarrus_constant_plan.h(1)", "nowhere.h", "no plan today"};
    (void)require_nvrtc();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        const sarrus_cuda_request request = {sarrus_embedded_sources, sarrus_n_embedded_sources, texts[i], 100.0, 90};
        sarrus_cuda_object object;
        sarrus_fallback_reason reason = {""};
        assert_false(sarrus_cuda_object_make(nvrtc, &request, NULL, &object, &reason));
        assert_null(object.cubin.bytes);
        if (strstr(reason.text, words[i]) == NULL)
            fail_msg("the reason does not say '%s': %s", words[i], reason.text);
    }
}

static void test_broken_request(void **state) {
    (void)state;
    mechanism m = mechanism_open_file("pendulum.yaml", NULL);
    char *text = sarrus_plan_text(m.plan, SARRUS_PLAN_TEXT_STRAIGHT);
    sarrus_cuda_request request = request_for(m.plan, text, 12);
    sarrus_cuda_object object;
    sarrus_fallback_reason reason = {""};
    (void)require_nvrtc();
    assert_false(sarrus_cuda_object_make(nvrtc, &request, NULL, &object, &reason));
    assert_non_null(strstr(reason.text, "failed: "));
    request.architecture = 90;
    request.n_sources = 0;
    assert_false(sarrus_cuda_object_make(nvrtc, &request, NULL, &object, &reason));
    assert_non_null(strstr(reason.text, "no source"));
    free(text);
    mechanism_close(&m);
}

/* The bounds of a small mechanism, and the same object from the cache without a compilation; nothing else compiles its scenario. */
static void test_cache(void **state) {
    (void)state;
    (void)require_nvrtc();
    char folder[] = "/tmp/sarrus_nvrtc_XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    mechanism m = mechanism_open_file("pendulum.yaml", NULL);
    char *text = sarrus_plan_text(m.plan, SARRUS_PLAN_TEXT_STRAIGHT);
    sarrus_cuda_request request = request_for(m.plan, text, 90);
    sarrus_object_cache cache;
    sarrus_cuda_object made, found;
    sarrus_fallback_reason reason = {""};
    int n_undefined = 0;
    if (!sarrus_object_cache_open(&cache, folder, UINT64_C(1) << 24, &reason))
        fail_msg("%s", reason.text);
    if (!sarrus_cuda_object_make(nvrtc, &request, &cache, &made, &reason))
        fail_msg("%s", reason.text);
    assert_string_equal(reason.text, "");
    assert_in_range(made.n_compiled, 1, SARRUS_N_CUDA_BOUNDS);
    assert_true(cubin_has(&made.cubin, SARRUS_CUDA_KERNEL, &n_undefined));
    assert_int_equal(n_undefined, 0);
    assert_in_range(made.report.n_registers, 16, 255);
    assert_in_range(made.report.n_shared_bytes, 0, 48 * 1024); /* the sums of stretches, where there are any */
    (void)shape_is_new(text);
    print_message("pendulum: blocks of %d, %d of them, %d registers after %d compilations\n", made.bounds.n_threads,
                  made.bounds.n_blocks, made.report.n_registers, made.n_compiled);
    assert_true(sarrus_cuda_object_make(nvrtc, &request, &cache, &found, &reason));
    assert_int_equal(found.n_compiled, 0);
    assert_memory_equal(&found.bounds, &made.bounds, sizeof made.bounds);
    assert_memory_equal(&found.report, &made.report, sizeof made.report);
    assert_int_equal(found.cubin.n_bytes, made.cubin.n_bytes);
    assert_memory_equal(found.cubin.bytes, made.cubin.bytes, made.cubin.n_bytes);
    sarrus_cuda_object_free(&made);
    sarrus_cuda_object_free(&found);
    sarrus_object_cache_close(&cache);
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
    free(text);
    mechanism_close(&m);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_warps),
        cmocka_unit_test(test_rule),
        cmocka_unit_test(test_rule_of_stretches),
        cmocka_unit_test(test_compiler_that_keeps),
        cmocka_unit_test(test_no_library),
        cmocka_unit_test(test_space_and_trees),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_broken_text),
        cmocka_unit_test(test_broken_request),
        cmocka_unit_test(test_cache),
        cmocka_unit_test(test_other_architecture),
        cmocka_unit_test(test_scenarios),
        cmocka_unit_test(test_shapes),
    };
    sarrus_fallback_reason reason = {""};
    if (argc > 1) {
        compiles_all = true;
        main_architecture = strcmp(argv[1], "80") == 0 ? 80 : 90;
        another = 170 - main_architecture;
    }
    sarrus_kernel_places places;
    sarrus_kernel_places_find(&places);
    nvrtc = sarrus_nvrtc_open(getenv("SARRUS_NVRTC"), places.cuda, &reason);
    if (nvrtc == NULL)
        print_message("%s\n", reason.text);
    const int n_failed = cmocka_run_group_tests(tests, NULL, NULL);
    const int was_skipped = nvrtc == NULL;
    while (n_shapes > 0)
        free(shapes[--n_shapes]);
    sarrus_nvrtc_close(nvrtc);
    return n_failed == 0 && was_skipped ? 77 : n_failed;
}
