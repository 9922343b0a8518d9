/* SPDX-License-Identifier: Apache-2.0 */
/* This is lu.c for a matrix of 128 x 128. */
#define SIZE 128
#include "lu.c"
