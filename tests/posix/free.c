/* SPDX-License-Identifier: Apache-2.0 */
/* Freeing anything that is not an allocated block stops the run; FAULT chooses the case. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

int main(int count, char **arguments) {
    /* Volatile: hidden from GCC, which would warn. */
    char *volatile block = malloc(100), *other = malloc(100);
    void *volatile foreign = &count;
    if (strcmp(arguments[1], "twice") == 0) {
        free(block);
        free(block);
    } else if (strcmp(arguments[1], "foreign") == 0) {
        free(foreign);
    } else if (strcmp(arguments[1], "overflow") == 0) {
        ((volatile char *)block)[112] = 0x55; /* the requested size is rounded up to 112 */
        free(block);
    } else if (strcmp(arguments[1], "below") == 0) {
        ((volatile char *)block)[112] ^=
            0x10; /* the lowest byte of the address of the lower neighbour */
    }
    free(other);
    check_end();
}
