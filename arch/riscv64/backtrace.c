/* SPDX-License-Identifier: Apache-2.0 */
/* What a panic shows of a context: registers, and the functions that led there. */
#include "arch.h"
#include "config.h"
#include "console.h"
#include "kernel_choice.h"

enum { FRAMES_MAX = 24 };

/* The symbols of the image, sorted by address. The build appends them (takt symbols). */
struct symbol {
    uint32_t offset; /* from takt_text_start */
    uint32_t name;   /* from takt_symbol_names */
};
extern const struct symbol takt_symbols[];
extern const uint32_t takt_symbol_count;
extern const char takt_symbol_names[];

/* Where a context goes on that has called context_switch_last; x[5] is its return address. */
extern const char context_last_return[];

static bool is_code(uintptr_t address) {
    return address >= (uintptr_t)takt_text_start && address < (uintptr_t)takt_text_end;
}

/* Bound: log2 of the number of symbols. */
static const struct symbol *symbol_at(uint32_t offset) {
    uint32_t low = 0, high = takt_symbol_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (takt_symbols[middle].offset <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0 ? 0 : &takt_symbols[low - 1];
}

/* `pc` with the name of the function that `instruction` belongs to. */
static void print_frame(uintptr_t pc, uintptr_t instruction) {
    uintptr_t text = (uintptr_t)takt_text_start;
    const struct symbol *symbol =
        is_code(instruction) ? symbol_at((uint32_t)(instruction - text)) : 0;
    console_print("  %lx", pc);
    if (symbol != 0) {
        console_print(" %s+%lx", takt_symbol_names + symbol->name, pc - text - symbol->offset);
    }
    console_print("\n");
}

/* A return address may lie behind its function, when the call was the last thing in it. */
static void print_return_address(uintptr_t address) {
    print_frame(address, address - 1);
}

/* A frame pointer is believed when it lies in writable memory of the image and is aligned. */
static bool is_frame(uintptr_t frame) {
    for (uint32_t i = 0; i < takt_region_count; i++) {
        const struct takt_region *region = &takt_regions[i];
        if (region->permissions & TAKT_WRITE && frame >= region->start + 16 &&
            frame <= region->end) {
            return frame % 8 == 0;
        }
    }
    return false;
}

/* The return address of a frame, 0: it has none; then that of the caller is `frame`. GCC's frame:
 * the return address at -8, the caller's frame pointer at -16. */
static uintptr_t return_address(uintptr_t *frame) {
    const uintptr_t *saved = (const uintptr_t *)*frame;
    if (!is_frame(*frame) || !is_code(saved[-1]) || saved[-2] == 0) {
        return 0; /* the first function of a job has no caller */
    }
    *frame = saved[-2];
    return saved[-1];
}

/* A leaf function, or a wild jump, has not saved its return address yet. */
static bool has_saved_return(const struct context *context) {
    const uintptr_t *saved = (const uintptr_t *)context->x[8];
    return !is_code(context->x[1]) || (is_frame(context->x[8]) && saved[-1] == context->x[1]);
}

static void print_callers(uintptr_t frame) {
    for (int i = 0; i < FRAMES_MAX; i++) {
        uintptr_t address = return_address(&frame);
        if (address == 0) {
            return;
        }
        print_return_address(address);
    }
}

static uint32_t offset_of_call(uintptr_t address) {
    return (uint32_t)(address - 1 - (uintptr_t)takt_text_start);
}

void arch_frame_places(uintptr_t frame, uint32_t *places, uint32_t room) {
    for (; room > 0; room--) {
        uintptr_t address = return_address(&frame);
        if (address == 0) {
            return;
        }
        *places++ = offset_of_call(address);
    }
}

/* Returns whether the context was interrupted in user mode. */
static bool is_users(const struct context *context) {
    return PARTITIONS && !(context->status & SSTATUS_SPP);
}

void arch_context_places(const struct context *context, uint32_t *places, uint32_t room) {
    if (!(context->status & CONTEXT_CALLED) && (is_code(context->x[0]) || is_users(context))) {
        *places++ = (uint32_t)(context->x[0] - (uintptr_t)takt_text_start);
        room--;
        if (!has_saved_return(context)) {
            *places++ = offset_of_call(context->x[1]);
            room--;
        }
    } else if (context->x[8] != 0) { /* else it has not begun */
        bool is_last = context->x[1] == (uintptr_t)context_last_return;
        *places++ = offset_of_call(context->x[is_last ? 5 : 1]);
        room--;
    }
    arch_frame_places(context->x[8], places, room);
}

void arch_print_backtrace(void) {
    console_print("takt: backtrace\n");
    print_callers((uintptr_t)__builtin_frame_address(0));
}

void arch_print_context(const struct context *context) {
    static const char names[][4] = {"pc", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                    "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                    "a6", "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                    "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
    console_print("takt: scause %lx, stval %lx, sstatus %lx\n", csr_read(scause), csr_read(stval),
                  context->status);
    for (int i = 0; i < 32; i++) {
        console_print("%s %lx%s", names[i], context->x[i], i % 4 == 3 ? "\n" : "  ");
    }
    console_print("takt: backtrace\n");
    print_frame(context->x[0], context->x[0]);
    if (!has_saved_return(context)) {
        print_return_address(context->x[1]);
    }
    print_callers(context->x[8]);
}
