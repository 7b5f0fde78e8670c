/* Encodings: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, sections 2.1 to 2.7. */
#include "bench/instructions/instruction_class.h"

#include <stdbool.h>
#include <string.h>

/* What the prefixes of a vector instruction say. */
typedef struct encoding {
    bool is_vector;
    int map;              /* opcode map: 1 = 0F, 2 = 0F38, 3 = 0F3A */
    int prefix;           /* 0 none (single), 1 = 66 (double), 2 = F3 (scalar single), 3 = F2 (scalar double) */
    bool is_wide_element; /* W: doubles in the maps where the prefix does not say */
    int n_bytes;          /* of the vector: 16, 32, 64 */
    uint8_t opcode, modrm;
} encoding;

static encoding decode_evex(const uint8_t *bytes) {
    encoding out = {.is_vector = true};
    out.map = bytes[1] & 7;
    out.prefix = bytes[2] & 3;
    out.is_wide_element = (bytes[2] & 0x80) != 0;
    out.n_bytes = 16 << ((bytes[3] >> 5) & 3);
    out.opcode = bytes[4];
    out.modrm = bytes[5];
    return out;
}

static encoding decode_vex(const uint8_t *bytes) {
    encoding out = {.is_vector = true};
    const bool is_long = bytes[0] == 0xc4;
    const uint8_t last = is_long ? bytes[2] : bytes[1];
    out.map = is_long ? bytes[1] & 0x1f : 1;
    out.prefix = last & 3;
    out.is_wide_element = is_long && (last & 0x80) != 0;
    out.n_bytes = (last & 4) != 0 ? 32 : 16;
    out.opcode = is_long ? bytes[3] : bytes[2];
    out.modrm = is_long ? bytes[4] : bytes[3];
    return out;
}

/* Opcodes of map 0F that work on xmm registers. */
static bool is_sse_opcode(int map, uint8_t opcode) {
    const bool is_sse_of_first_map = (opcode >= 0x10 && opcode <= 0x17) || (opcode >= 0x28 && opcode <= 0x2f) ||
                                     (opcode >= 0x50 && opcode <= 0x7f) || opcode == 0xc2 || opcode == 0xc6 || opcode >= 0xd0;
    return map == 1 ? is_sse_of_first_map : map == 2 ? opcode < 0xc0 : true;
}

static encoding decode_legacy(const uint8_t *bytes) {
    encoding out = {.n_bytes = 16};
    while (*bytes == 0x66 || *bytes == 0xf2 || *bytes == 0xf3 || *bytes == 0x2e || *bytes == 0x3e) {
        out.prefix = *bytes == 0xf3 ? 2 : *bytes == 0xf2 ? 3 : *bytes == 0x66 && out.prefix == 0 ? 1 : out.prefix;
        bytes++;
    }
    bytes += (*bytes & 0xf0) == 0x40; /* REX */
    if (*bytes++ != 0x0f)
        return out;
    out.map = *bytes == 0x38 ? 2 : *bytes == 0x3a ? 3 : 1;
    bytes += out.map != 1;
    out.opcode = bytes[0];
    out.modrm = bytes[1];
    out.is_vector = is_sse_opcode(out.map, out.opcode);
    return out;
}

static encoding decode(const uint8_t *bytes) {
    if (bytes[0] == 0x62)
        return decode_evex(bytes);
    return bytes[0] == 0xc4 || bytes[0] == 0xc5 ? decode_vex(bytes) : decode_legacy(bytes);
}

/* VEX instructions on mask or general registers are bookkeeping, not vector work. */
static bool is_mask_or_integer(const encoding *code) {
    const bool is_mask =
        code->map == 1 && ((code->opcode >= 0x41 && code->opcode <= 0x4b) || (code->opcode >= 0x90 && code->opcode <= 0x99));
    const bool is_bit_manipulation = code->map == 2 && code->opcode >= 0xf0;
    return is_mask || is_bit_manipulation;
}

/* Opcodes of map 0F that write their memory operand. */
static bool is_store(const encoding *code) {
    static const uint8_t stores[] = {0x11, 0x13, 0x17, 0x29, 0x2b, 0x7f, 0xd6, 0xe7};
    const bool is_move_to_integer = code->opcode == 0x7e && code->prefix != 2;
    return code->map == 1 && (memchr(stores, code->opcode, sizeof stores) != NULL || is_move_to_integer);
}

static bool is_move(const encoding *code) {
    static const uint8_t moves[] = {0x10, 0x11, 0x12, 0x13, 0x16, 0x17, 0x28, 0x29, 0x2b, 0x6e, 0x6f, 0x7e, 0x7f, 0xd6, 0xe7};
    const bool is_broadcast =
        code->map == 2 && (code->opcode == 0x18 || code->opcode == 0x19 || code->opcode == 0x1a || code->opcode == 0x1b);
    return is_broadcast || (code->map == 1 && memchr(moves, code->opcode, sizeof moves) != NULL);
}

/* FMA3: 96 … 9F, A6 … AF, B6 … BF of map 0F38; the odd ones from x9 on are scalar. */
static bool is_fma(const encoding *code) {
    const int low = code->opcode & 0x0f;
    const int high = code->opcode >> 4;
    return code->map == 2 && high >= 9 && high <= 0xb && low >= 6;
}

static bool is_scalar(const encoding *code) {
    return is_fma(code) ? (code->opcode & 0x0f) >= 9 && (code->opcode & 1) == 1 : code->prefix >= 2;
}

static double lanes(const encoding *code) {
    const bool is_double = is_fma(code) ? code->is_wide_element : (code->prefix & 1) == 1;
    return is_scalar(code) ? 1.0 : (double)code->n_bytes / (is_double ? 8.0 : 4.0);
}

void sarrus_bench_instruction_count(sarrus_bench_instruction_counts *counts, const uint8_t bytes[SARRUS_BENCH_INSTRUCTION_BYTES]) {
    const encoding code = decode(bytes);
    counts->n_instructions++;
    if (!code.is_vector || is_mask_or_integer(&code)) {
        counts->n_scalar++;
        return;
    }
    const bool has_memory = code.modrm >> 6 != 3;
    const bool is_arithmetic = code.map == 1 && code.opcode >= 0x51 && code.opcode <= 0x5e;
    if (is_fma(&code)) {
        counts->n_fma++;
        counts->n_flops += 2.0 * lanes(&code);
    } else if (is_arithmetic && (code.opcode == 0x58 || code.opcode == 0x5c)) {
        counts->n_add++;
        counts->n_flops += lanes(&code);
    } else if (is_arithmetic && code.opcode == 0x59) {
        counts->n_multiply++;
        counts->n_flops += lanes(&code);
    } else if (is_arithmetic && code.opcode == 0x5e) {
        counts->n_divide++;
    } else if (is_arithmetic && code.opcode == 0x51) {
        counts->n_square_root++;
    } else if (!has_memory || !is_move(&code)) {
        counts->n_other_vector++;
    }
    if (has_memory) {
        counts->n_store += is_store(&code);
        counts->n_load += !is_store(&code);
    }
}

sarrus_bench_instruction_counts sarrus_bench_instruction_difference(const sarrus_bench_instruction_counts *left,
                                                                    const sarrus_bench_instruction_counts *right) {
    sarrus_bench_instruction_counts out = *left;
    out.n_instructions -= right->n_instructions;
    out.n_fma -= right->n_fma;
    out.n_add -= right->n_add;
    out.n_multiply -= right->n_multiply;
    out.n_divide -= right->n_divide;
    out.n_square_root -= right->n_square_root;
    out.n_other_vector -= right->n_other_vector;
    out.n_load -= right->n_load;
    out.n_store -= right->n_store;
    out.n_scalar -= right->n_scalar;
    out.n_flops -= right->n_flops;
    return out;
}
