// SPDX-License-Identifier: Apache-2.0
// The table of tasks. A row of LANES entries is read at once: a search compares all of them, who names a task gets one.
module rtu_tasks #(
    parameter int unsigned TASKS = 64,
    parameter int unsigned LANES = 8,
    parameter int unsigned WIDTH = unit::TASK_BITS,
    parameter int unsigned ROWS = TASKS / LANES
) (
    input  logic                   clock,
    input  logic                   clear,
    // The row of a search, or else the row of the task `read_id`.
    input  logic                   searching,
    input  logic [7:0]             row,
    input  logic [7:0]             read_id,
    output logic [LANES*WIDTH-1:0] lanes,
    output logic [LANES-1:0]       there,         // the lane's task was created
    output unit::task_t            entry,
    input  logic                   write,
    input  logic                   create,
    input  logic [7:0]             write_id,
    input  unit::task_t            write_entry,
    // By ID; 0 is no task.
    output logic [TASKS:0]         created,
    output logic [TASKS:0]         ready
);
  localparam int unsigned LANE = $clog2(LANES);
  localparam int unsigned INDEX = ROWS > 1 ? $clog2(ROWS) : 1;

  logic [7:0] read_place, write_place, read_row, write_row;
  assign read_place = read_id - 8'd1;
  assign write_place = write_id - 8'd1;
  assign read_row = searching ? row : read_place >> LANE;
  assign write_row = write_place >> LANE;

  for (genvar lane = 0; lane < LANES; lane++) begin : memory
    rtu_ram #(
        .WIDTH(WIDTH),
        .DEPTH(ROWS)
    ) ram (
        .clock,
        .write(write && write_place[LANE-1:0] == LANE'(lane)),
        .write_index(write_row[INDEX-1:0]),
        .write_value(write_entry),
        .read_index(read_row[INDEX-1:0]),
        .read_value(lanes[lane*WIDTH+:WIDTH])
    );
  end

  assign there = created[1+32'(row)*LANES+:LANES];
  assign entry = lanes[32'(read_place[LANE-1:0])*WIDTH+:WIDTH];

  always_ff @(posedge clock) begin
    for (int unsigned id = 1; id <= TASKS; id++) begin
      if (clear) begin
        created[id] <= 1'b0;
        ready[id] <= 1'b0;
      end else if (write && 32'(write_id) == id) begin
        if (create) created[id] <= 1'b1;
        ready[id] <= write_entry.state == unit::READY;
      end
    end
    created[0] <= 1'b0;
    ready[0] <= 1'b0;
  end
endmodule
