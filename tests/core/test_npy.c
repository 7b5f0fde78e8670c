/* The head of .npy files: what NumPy writes is read, what it would not write is refused with what is wrong, and numbers of every
 * type come back. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "core/npy.h"

/* A file's head with this text. */
static size_t head_make(int version, const char *text, unsigned char *bytes) {
    const size_t n_text = strlen(text), n_length = version == 1 ? 2 : 4;
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (unsigned char)version;
    bytes[7] = 0;
    for (size_t i = 0; i < n_length; ++i)
        bytes[8 + i] = (unsigned char)(n_text >> 8 * i);
    memcpy(bytes + 8 + n_length, text, n_text);
    return 8 + n_length + n_text;
}

static sarrus_status text_read(int version, const char *text, sarrus_npy_header *out, char *message) {
    static unsigned char bytes[4096];
    const size_t n = head_make(version, text, bytes);
    const sarrus_status status = sarrus_npy_header_read(bytes, n, out, message);
    if (status == SARRUS_OK)
        assert_int_equal(out->n_head, n);
    return status;
}

static void heads_are_read(void **state) {
    const struct {
        const char *text, *type; /* kind, bytes, byte order, index order */
        int n_dims;
        uint64_t n_items;
    } good[] = {
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (5, 3, 4), }   \n", "f8<C", 3, 60},
        {"{\"shape\":(2,3),\"descr\":\">f4\",\"fortran_order\":True}", "f4>F", 2, 6},
        {" { 'shape' : ( 7 , ) , 'fortran_order' : True , 'descr' : '|b1' } ", "b1<F", 1, 7},
        {"{'descr': 'i2', 'fortran_order': False, 'shape': ()}", "i2<C", 0, 1},
        {"{'descr': '=u8', 'fortran_order': False, 'shape': (3L, 0L, 18446744073709551615L)}", "u8<C", 3, 0},
        {"{'descr': '>i8', 'fortran_order': False, 'shape': (0,)}\n", "i8>C", 1, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i) {
        for (int version = 1; version <= 3; ++version) {
            sarrus_npy_header header;
            char message[SARRUS_NPY_MESSAGE_BYTES], type[8];
            assert_int_equal(text_read(version, good[i].text, &header, message), SARRUS_OK);
            snprintf(type, sizeof type, "%c%d%c%c", header.kind, header.n_item, header.is_big_endian ? '>' : '<',
                     header.is_fortran ? 'F' : 'C');
            assert_string_equal(type, good[i].type);
            assert_int_equal(header.n_dims, good[i].n_dims);
            assert_true(header.n_items == good[i].n_items);
            assert_true(header.n_file == header.n_head + header.n_items * (uint64_t)header.n_item);
        }
    }
}

static void rubbish_is_refused(void **state) {
    const struct {
        const char *text, *expected;
    } bad[] = {
        {"", "expected {'descr'"},
        {"[]", "expected {'descr'"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (5, 3)", "a comma or }"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (5, 3)} x", "expected nothing more"},
        {"{'descr': '<f8', 'fortran_order': False}", "has no 'shape'"},
        {"{'descr': '<f8', 'shape': (1,)}", "has no 'fortran_order'"},
        {"{'fortran_order': False, 'shape': (1,)}", "has no 'descr'"},
        {"{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", "has twice the key 'descr'"},
        {"{'colour': 3}", "has the key 'colour'"},
        {"{'descr' '<f8'}", "a colon"},
        {"{'descr: 1}", "a key"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (1,)}", "type '<f2'; expected f8"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "Python objects"},
        {"{'descr': '<c16', 'fortran_order': False, 'shape': (1,)}", "complex numbers"},
        {"{'descr': '', 'fortran_order': False, 'shape': (1,)}", "of type ''"},
        {"{'descr': '<f8x', 'fortran_order': False, 'shape': (1,)}", "of type '<f8x'"},
        {"{'descr': '\1\2\3', 'fortran_order': False, 'shape': (1,)}", "of type '\?\?\?'"},
        {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}", "records"},
        {"{'descr': '<f8', 'fortran_order': 0, 'shape': (1,)}", "True or False"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': 3}", "the shape"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3)}", "a comma behind"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3 4)}", "a comma in the shape"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (-3,)}", "a whole number"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1.5,)}", "a comma in the shape"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (18446744073709551616,)}", "more than 64 bits"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", "more numbers than any file"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693952,)}", "more numbers than any file"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846975,)}", "more numbers than any file"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        sarrus_npy_header header;
        char message[SARRUS_NPY_MESSAGE_BYTES] = "";
        assert_int_equal(text_read(1, bad[i].text, &header, message), SARRUS_BAD_INPUT);
        if (strstr(message, bad[i].expected) == NULL)
            fail_msg("%s: expected '%s' in: %s", bad[i].text, bad[i].expected, message);
    }
}

static void dimensions_are_bounded(void **state) {
    char text[1024], message[SARRUS_NPY_MESSAGE_BYTES];
    sarrus_npy_header header;
    (void)state;
    for (int n = SARRUS_NPY_MOST_DIMS; n <= SARRUS_NPY_MOST_DIMS + 1; ++n) {
        int at = snprintf(text, sizeof text, "{'descr': '<f8', 'fortran_order': False, 'shape': (");
        for (int i = 0; i < n; ++i)
            at += snprintf(text + at, sizeof text - (size_t)at, "1, ");
        snprintf(text + at, sizeof text - (size_t)at, ")}");
        assert_int_equal(text_read(2, text, &header, message), n == SARRUS_NPY_MOST_DIMS ? SARRUS_OK : SARRUS_BAD_INPUT);
    }
}

/* Every length of a good head but the whole is one that is cut off, or no .npy file yet. */
static void cut_heads_are_told(void **state) {
    unsigned char bytes[256];
    char message[SARRUS_NPY_MESSAGE_BYTES];
    sarrus_npy_header header;
    const size_t n = head_make(2, "{'descr': '<f8', 'fortran_order': False, 'shape': (5, 3)}", bytes);
    (void)state;
    for (size_t n_bytes = 0; n_bytes < n; ++n_bytes)
        assert_int_equal(sarrus_npy_header_read(bytes, n_bytes, &header, message),
                         n_bytes < SARRUS_NPY_MAGIC_BYTES ? SARRUS_BAD_INPUT : SARRUS_IO);
    assert_int_equal(sarrus_npy_header_read(bytes, n, &header, message), SARRUS_OK);
    bytes[6] = 4;
    assert_int_equal(sarrus_npy_header_read(bytes, n, &header, message), SARRUS_BAD_INPUT);
    assert_non_null(strstr(message, "version 4.0"));
    bytes[6] = 2;
    bytes[10] = 1; /* 65536 bytes more */
    assert_int_equal(sarrus_npy_header_read(bytes, n, &header, message), SARRUS_BAD_INPUT);
    assert_non_null(strstr(message, "65536 at most"));
}

static void made_heads_are_read(void **state) {
    uint64_t dims[SARRUS_NPY_MOST_DIMS];
    (void)state;
    for (int n_dims = 0; n_dims <= SARRUS_NPY_MOST_DIMS; ++n_dims) {
        unsigned char bytes[SARRUS_NPY_MADE_BYTES];
        char message[SARRUS_NPY_MESSAGE_BYTES];
        sarrus_npy_header header;
        for (int i = 0; i < n_dims; ++i)
            dims[i] = i == 0 ? 0 : UINT64_MAX - (uint64_t)i; /* the longest there are; none of them counts beside a 0 */
        const size_t n = sarrus_npy_header_make(n_dims, dims, bytes);
        assert_true(n <= sizeof bytes && n % 64 == 0 && bytes[n - 1] == '\n');
        assert_int_equal(sarrus_npy_header_read(bytes, n, &header, message), SARRUS_OK);
        assert_true(sarrus_npy_is_native(&header) && !header.is_fortran && header.n_dims == n_dims && header.n_head == n);
        assert_memory_equal(header.dims, dims, (size_t)n_dims * sizeof *dims);
    }
}

static void numbers_come_back(void **state) {
    const struct {
        char kind;
        int n_item;
        unsigned char bytes[8]; /* the highest first */
        double value;
    } numbers[] = {
        {'f', 8, {0xC0, 0x09, 0x21, 0xFB, 0x54, 0x44, 0x2D, 0x18}, -3.141592653589793},
        {'f', 4, {0x40, 0x49, 0x0F, 0xDB}, 3.14159274f},
        {'i', 1, {0x80}, -128.0},
        {'i', 2, {0xFF, 0xFE}, -2.0},
        {'i', 4, {0x7F, 0xFF, 0xFF, 0xFF}, 2147483647.0},
        {'i', 8, {0x80, 0, 0, 0, 0, 0, 0, 0}, -0x1p63},
        {'u', 1, {0xFF}, 255.0},
        {'u', 2, {0x01, 0x02}, 258.0},
        {'u', 4, {0xFF, 0xFF, 0xFF, 0xFF}, 4294967295.0},
        {'u', 8, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}, 0x1p64},
        {'b', 1, {0x02}, 1.0},
        {'b', 1, {0x00}, 0.0},
    };
    (void)state;
    for (size_t i = 0; i < 2 * sizeof numbers / sizeof numbers[0]; ++i) {
        const int n = numbers[i / 2].n_item;
        const sarrus_npy_header header = {.kind = numbers[i / 2].kind, .n_item = n, .is_big_endian = i % 2 == 0};
        unsigned char bytes[32];
        double out[2] = {0.0, 0.0};
        memset(bytes, 0xAA, sizeof bytes);
        for (int k = 0; k < n; ++k) /* twice, with three bytes between them */
            bytes[k] = bytes[n + 3 + k] = numbers[i / 2].bytes[header.is_big_endian ? k : n - 1 - k];
        sarrus_npy_decode(&header, bytes, (size_t)n + 3, 2, out);
        assert_true(out[0] == numbers[i / 2].value && out[1] == out[0]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_are_read),     cmocka_unit_test(rubbish_is_refused),  cmocka_unit_test(dimensions_are_bounded),
        cmocka_unit_test(cut_heads_are_told), cmocka_unit_test(made_heads_are_read), cmocka_unit_test(numbers_come_back),
    };
    return cmocka_run_group_tests_name("core.npy", tests, NULL, NULL);
}
