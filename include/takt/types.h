/* SPDX-License-Identifier: Apache-2.0 */
/* The types that all services share: errors, identifiers, times. */
#ifndef INCLUDE_TAKT_TYPES_H
#define INCLUDE_TAKT_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The result of a service: TAKT_OK or one of the errors below. The numbers are those of uITRON 4.0.
 * */
typedef int32_t takt_error;

enum {
    TAKT_OK = 0,
    TAKT_E_PAR = -17,   /* a parameter is out of its range, or a pointer is null (E_PAR) */
    TAKT_E_ID = -18,    /* no object has this ID (E_ID) */
    TAKT_E_CTX = -25,   /* not allowed in this context (E_CTX) */
    TAKT_E_MACV = -26,  /* a pointer to memory that the partition does not have (E_MACV) */
    TAKT_E_OACV = -27,  /* an object that belongs to another partition, or to none (E_OACV) */
    TAKT_E_ILUSE = -28, /* not allowed here: the description does not say so (E_ILUSE) */
    TAKT_E_OBJ = -41,   /* the object is in the wrong state (E_OBJ) */
    TAKT_E_QOVR = -43,  /* a count has reached its limit (E_QOVR) */
    TAKT_E_RLWAI = -49, /* released from waiting (E_RLWAI) */
    TAKT_E_TMOUT = -50, /* not at once, or not in time (E_TMOUT) */
    TAKT_E_DLT = -51,   /* the object that the task waited for was reset (E_DLT) */
};

/* Marks a service whose result says whether the caller has got what it requested: the compiler
 * warns if the result is ignored. */
#define TAKT_MUST_USE __attribute__((warn_unused_result))

/* Marks a service that does not return. */
#ifdef __cplusplus
#define TAKT_NO_RETURN [[noreturn]]
#else
#define TAKT_NO_RETURN _Noreturn
#endif

/* The ID of an object, counted from 1 in each class. The configurator's <takt/system_ids.h> names
 * them. */
typedef uint32_t takt_id;

#define TAKT_ID_NONE ((takt_id)0)

/* A time or duration in nanoseconds. Times count from the epoch, at which every core is ready. */
typedef int64_t takt_time;

#define TAKT_MICROSECOND ((takt_time)1000)
#define TAKT_MILLISECOND ((takt_time)1000000)
#define TAKT_SECOND      ((takt_time)1000000000)

/* A timeout that never comes (TMO_FEVR). */
#define TAKT_FOR_EVER ((takt_time)INT64_MAX)

#endif
