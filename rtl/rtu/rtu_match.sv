// SPDX-License-Identifier: Apache-2.0
// Which lanes of a row of tasks a search looks for, and their keys: the least one is found.
module rtu_match #(
    parameter int unsigned LANES = 8,
    parameter int unsigned WIDTH = unit::TASK_BITS
) (
    input  logic [2:0]             search,
    input  logic [LANES*WIDTH-1:0] lanes,
    input  logic [LANES-1:0]       there,
    input  logic [3:0]             hart,     // of FIRST and EQUAL
    input  logic [5:0]             level,    // of EQUAL
    input  logic [2:0]             state,    // of WAITER
    input  logic [9:0]             object,   // of WAITER
    output logic [LANES-1:0]       hits,
    output logic [LANES*64-1:0]    keys
);
  unit::task_t task_entry;
  logic        ready_here;

  always_comb begin
    for (int unsigned lane = 0; lane < LANES; lane++) begin
      task_entry = lanes[lane*WIDTH+:WIDTH];
      ready_here = task_entry.state == unit::READY && task_entry.core == hart;
      keys[lane*64+:64] = {10'd0, task_entry.level, task_entry.order};
      case (search)
        unit::WAITER: begin
          hits[lane] = there[lane] && task_entry.state == state && task_entry.object == object;
          if (!task_entry.by_level) keys[lane*64+:64] = {16'd0, task_entry.order};
        end
        unit::EQUAL: hits[lane] = there[lane] && ready_here && task_entry.level == level;
        unit::EARLIEST: begin
          hits[lane] = there[lane] && task_entry.timed;
          keys[lane*64+:64] = task_entry.wake;
        end
        default: hits[lane] = there[lane] && ready_here;
      endcase
    end
  end
endmodule
