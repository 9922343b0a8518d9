/* SPDX-License-Identifier: Apache-2.0 */
#include "console.h"

#include <stdarg.h>
#include <string.h>

#include "atomic.h"
#include "core.h"

/* The rings' indices count bytes and wrap at 2^32; the size is a power of two. */
static uint8_t *place(const struct core *core, uint32_t index) {
    return &core->config->console[index & (takt_console_size - 1)];
}

/* Puts a whole piece into this core's ring, or nothing. Interrupts disabled: a piece of another
 * task of this core cannot come between. Bound: TAKT_CONSOLE_PIECE bytes. */
static bool put_piece(struct core *core, const char *text, uint32_t size) {
    uint32_t head = core->console_head;
    /* Acquire: the bytes have been sent; pairs with the release in console_send. */
    uint32_t used = head - atomic_load_acquire(&core->console_tail);
    if (size > takt_console_size - used) {
        core->record->console_dropped += size;
        return false;
    }
    for (uint32_t i = 0; i < size; i++) {
        *place(core, head + i) = (uint8_t)text[i];
    }
    /* Release: the bytes before the count; pairs with the acquire in console_send. */
    atomic_store_release(&core->console_head, head + size);
    return true;
}

takt_error takt_console_write(const char *text, size_t size) {
    if (text == 0) {
        return refused(TAKT_E_PAR);
    }
    bool whole = true;
    while (size > 0) {
        uint32_t piece = size < TAKT_CONSOLE_PIECE ? (uint32_t)size : TAKT_CONSOLE_PIECE;
        unsigned long interrupts = arch_interrupts_disable();
        whole &= put_piece(core_here(), text, piece);
        arch_interrupts_restore(interrupts);
        text += piece;
        size -= piece;
    }
    return whole ? TAKT_OK : TAKT_E_QOVR;
}

/* Sends the byte at `tail` and counts it as sent, both or none: whoever ends the machine meanwhile
 * goes on with the next one. Waits come before, with interrupts enabled: for the UART, for the
 * ring's line and for the count of the byte before, which the other core may have fetched. */
static void send_byte(struct core *core, uint32_t tail) {
    bool taken = arch_console_wait();
    uint8_t byte = *place(core, tail);
    arch_fence_release(); /* has no partner: the section shall not wait for lines of other cores */
    unsigned long interrupts = arch_interrupts_disable();
    if (taken) {
        arch_console_put((char)byte);
    }
    /* Release: the byte has been read; pairs with the acquire in put_piece. */
    atomic_store_release(&core->console_tail, tail + 1);
    arch_interrupts_restore(interrupts);
}

static void send_ring(struct core *core) {
    uint32_t tail = core->console_tail;
    /* Acquire: pairs with the release in put_piece. */
    uint32_t head = atomic_load_acquire(&core->console_head);
    for (; tail != head; tail++) {
        send_byte(core, tail);
    }
}

/* The ring that is being sent. Used by the console core, then by the core that has stopped it:
 * which ends the line that was cut before it begins another ring's. In a line of its own: what lies
 * beside it others read as the machine runs. */
static struct { uint32_t ring; } __attribute__((aligned(64))) sending;

void console_send(void) {
    for (uint32_t i = 0; i < takt_core_count; i++) {
        uint32_t ring = __atomic_load_n(&sending.ring, __ATOMIC_RELAXED);
        send_ring(takt_cores[ring]);
        atomic_store_relaxed(&sending.ring, ring + 1 < takt_core_count ? ring + 1 : 0);
    }
}

static void put_number(unsigned long value, unsigned base) {
    char digits[20];
    unsigned count = 0;
    do {
        digits[count++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    while (count > 0) {
        arch_console_put(digits[--count]);
    }
}

static void put_text(const char *text) {
    while (*text != 0) {
        arch_console_put(*text++);
    }
}

void console_print(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    for (const char *at = format; *at != 0; at++) {
        if (*at != '%') {
            arch_console_put(*at);
            continue;
        }
        switch (*++at) {
        case 's':
            put_text(va_arg(arguments, const char *));
            break;
        case 'c':
            arch_console_put((char)va_arg(arguments, int));
            break;
        case 'd': {
            int value = va_arg(arguments, int);
            if (value < 0) {
                arch_console_put('-');
            }
            put_number(value < 0 ? -(unsigned long)value : (unsigned long)value, 10);
            break;
        }
        case 'u':
            put_number(va_arg(arguments, unsigned), 10);
            break;
        case 'l': /* %lx */
            at++;
            put_text("0x");
            put_number(va_arg(arguments, unsigned long), 16);
            break;
        default:
            arch_console_put(*at);
        }
    }
    va_end(arguments);
}
