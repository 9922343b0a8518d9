# SPDX-License-Identifier: Apache-2.0
# Gives the engine one command, SOURCE, DESTINATION, LENGTH, TO and COMMAND, and waits for nothing.
    .globl main
main:
    li   t0, 0x60002000
    li   t1, SOURCE
    sd   t1, 0(t0)
    li   t1, DESTINATION
    sd   t1, 8(t0)
    li   t1, LENGTH
    sd   t1, 16(t0)
    li   t1, TO
    sd   t1, 24(t0)
    li   t1, COMMAND
    .globl command
command:
    sd   t1, 32(t0)
1:  j    1b
