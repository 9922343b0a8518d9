/* SPDX-License-Identifier: Apache-2.0 */
/* The services as a partition calls them: each is a call of the kernel. A section each, so that a
 * partition is linked with those that it uses. */

#define TAKT_CALL(number, function, ...) stub number, function

        .macro  stub number, function
        .section .text.\function, "ax"
        .globl  \function
        .type   \function, @function
\function:
        li      a7, \number
        ecall
        ret
        .size   \function, . - \function
        .endm

#include <takt/calls.h>
