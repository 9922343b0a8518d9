/* SPDX-License-Identifier: Apache-2.0 */
/* A source that no description may name; never compiled. */
