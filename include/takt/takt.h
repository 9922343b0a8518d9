/* SPDX-License-Identifier: Apache-2.0 */
/* Polytakt's whole public API, and the IDs of the system that is being built. */
#ifndef INCLUDE_TAKT_H
#define INCLUDE_TAKT_H

#include <takt/barrier.h>
#include <takt/buffer.h>
#include <takt/context.h>
#include <takt/data_queue.h>
#include <takt/flag.h>
#include <takt/interrupt.h>
#include <takt/memory_pool.h>
#include <takt/message_buffer.h>
#include <takt/mutex.h>
#include <takt/partition.h>
#include <takt/priority_data_queue.h>
#include <takt/queuing_port.h>
#include <takt/reader_writer_lock.h>
#include <takt/sampling_port.h>
#include <takt/semaphore.h>
#include <takt/spin_lock.h>
#include <takt/state.h>
#include <takt/system.h>
#include <takt/system_ids.h>
#include <takt/task.h>
#include <takt/team.h>
#include <takt/time_event.h>
#include <takt/types.h>

#endif
