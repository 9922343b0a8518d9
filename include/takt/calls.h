/* SPDX-License-Identifier: Apache-2.0 */
/* The services that a task of a partition calls: docs/design/partitions.md, "System calls". Who
 * includes this file defines TAKT_CALL(number, name, result, arguments...): the partitions' stubs
 * (libraries/partition/stubs.S) and the kernel's gate (kernel/partition/gate.c).
 *
 * Results: NOTHING, or VALUE. Arguments:
 *   VALUE      of 64 bits
 *   ADDRESS    the kernel's function checks it
 *   TASK, SEMAPHORE, BUFFER, SAMPLING_PORT, QUEUING_PORT
 *              an ID, which must be the partition's
 *   READS      where the value of the buffer of the argument before is read
 *   WRITES     where it is written
 *   TEXT       text of as many bytes as the next argument says
 *   USER       an address, which the kernel's function checks and uses
 *
 * A number once given is kept. Services that are not listed are no symbols of a partition. */

TAKT_CALL(0, takt_task_exit, NOTHING)
TAKT_CALL(1, takt_task_activate, VALUE, TASK)
TAKT_CALL(2, takt_task_sleep, VALUE)
TAKT_CALL(3, takt_task_sleep_for, VALUE, VALUE)
TAKT_CALL(4, takt_task_wakeup, VALUE, TASK)
TAKT_CALL(5, takt_task_delay, VALUE, VALUE)
TAKT_CALL(6, takt_task_self, VALUE)
TAKT_CALL(7, takt_task_release_time, VALUE)
TAKT_CALL(8, takt_time_now, VALUE)
TAKT_CALL(9, takt_console_write, VALUE, TEXT, VALUE)
TAKT_CALL(10, takt_semaphore_signal, VALUE, SEMAPHORE)
TAKT_CALL(11, takt_semaphore_wait, VALUE, SEMAPHORE)
TAKT_CALL(12, takt_semaphore_wait_for, VALUE, SEMAPHORE, VALUE)
TAKT_CALL(13, takt_buffer_write, VALUE, BUFFER, READS)
TAKT_CALL(14, takt_buffer_read, VALUE, BUFFER, WRITES)
TAKT_CALL(15, takt_panic, NOTHING, ADDRESS)

#if !defined PORTS || PORTS
TAKT_CALL(16, takt_sampling_port_write, VALUE, SAMPLING_PORT, USER)
TAKT_CALL(17, takt_sampling_port_read, VALUE, SAMPLING_PORT, USER, USER)
TAKT_CALL(18, takt_queuing_port_send, VALUE, QUEUING_PORT, USER, VALUE)
TAKT_CALL(19, takt_queuing_port_receive, VALUE, QUEUING_PORT, USER, USER, VALUE)
TAKT_CALL(20, takt_queuing_port_state, VALUE, QUEUING_PORT, USER)
#endif

#if !defined RESTARTS || RESTARTS
TAKT_CALL(21, takt_partition_set_mode, VALUE, VALUE)
TAKT_CALL(22, takt_partition_state, VALUE, ADDRESS)
#endif
