/* SPDX-License-Identifier: Apache-2.0 */
/* The source that the descriptions here name; never compiled. */
