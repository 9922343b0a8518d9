/* SPDX-License-Identifier: Apache-2.0 */
/* What GCC's undefined-behaviour sanitizer calls, in images of `takt build --sanitize`: a panic
 * that says what was done and where. The names and their first argument are the compiler's. */
#include "console.h"
#include "core.h"

/* All of the compiler's descriptions begin with this. */
struct place {
    const char *file;
    uint32_t line, column;
};

static _Noreturn void undefined(const void *description, const char *what) {
    const struct place *place = description;
    arch_interrupts_disable();
    console_print("\ntakt: %s:%u\n", place->file, place->line);
    takt_panic(what);
}

#define HANDLER(name, what, ...)                                                                   \
    _Noreturn void __ubsan_handle_##name(void *description __VA_ARGS__);                           \
    void __ubsan_handle_##name(void *description __VA_ARGS__) {                                    \
        undefined(description, "undefined behaviour: " what);                                      \
    }
#define VALUE  , void *value
#define VALUES , void *left, void *right

HANDLER(add_overflow_abort, "addition overflows", VALUES)
HANDLER(sub_overflow_abort, "subtraction overflows", VALUES)
HANDLER(mul_overflow_abort, "multiplication overflows", VALUES)
HANDLER(negate_overflow_abort, "negation overflows", VALUE)
HANDLER(divrem_overflow_abort, "division overflows, or by zero", VALUES)
HANDLER(shift_out_of_bounds_abort, "shift out of range", VALUES)
HANDLER(out_of_bounds_abort, "index out of bounds", VALUE)
HANDLER(pointer_overflow_abort, "pointer overflows", VALUES)
HANDLER(type_mismatch_v1_abort, "pointer null, misaligned or outside of its object", VALUE)
HANDLER(load_invalid_value_abort, "value that its type does not have", VALUE)
HANDLER(invalid_builtin_abort, "argument that a builtin does not take", )
HANDLER(nonnull_arg_abort, "null argument", )
HANDLER(builtin_unreachable, "unreachable code reached", )
HANDLER(missing_return, "end of a function without its result", )
