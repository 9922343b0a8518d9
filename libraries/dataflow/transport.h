/* SPDX-License-Identifier: Apache-2.0 */
/* How cores reach each other: by the subnets of a mesh, or by the memory that they share. Both have
 * the same operations. */
#ifndef LIBRARIES_DATAFLOW_TRANSPORT_H
#define LIBRARIES_DATAFLOW_TRANSPORT_H

#ifdef DATAFLOW_SHARED
#include "shared.h"
#else
#include "mesh.h"
#endif

#endif
