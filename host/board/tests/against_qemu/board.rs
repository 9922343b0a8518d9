// SPDX-License-Identifier: Apache-2.0
//! The board's hart, with flat memory, on the same image.
