/* SPDX-License-Identifier: Apache-2.0 */
/* A source that no partition may name; never compiled. */
