// SPDX-License-Identifier: Apache-2.0
// The result of each task's last call, that of each hart's last command without a caller, and the bit that flips with
// each job of a task.
module rtu_results #(
    parameter int unsigned TASKS = 64,
    parameter int unsigned HARTS = 8
) (
    input  logic          clock,
    input  logic          clear,
    // Of this task; 0: of this hart's command without a caller.
    input  logic [7:0]    read_id,
    input  logic [3:0]    read_hart,
    output unit::result_t result,
    output logic          job,
    input  logic          write,
    input  logic          begins_job,
    input  logic [7:0]    write_id,
    input  logic [3:0]    write_hart,
    input  unit::result_t write_result
);
  localparam int unsigned INDEX = $clog2(TASKS + HARTS);

  logic [TASKS:0]     jobs;
  logic [15:0]        written;
  logic [INDEX-1:0]   read_index, write_index;
  unit::result_t      read_result;

  assign read_index = read_id == 8'd0 ? INDEX'(TASKS + 32'(read_hart)) : INDEX'(read_id - 8'd1);
  assign write_index = write_id == 8'd0 ? INDEX'(TASKS + 32'(write_hart)) : INDEX'(write_id - 8'd1);
  assign result = read_id == 8'd0 && !written[read_hart] ? '0 : read_result;
  assign job = jobs[read_id[$clog2(TASKS+1)-1:0]];

  rtu_ram #(
      .WIDTH(unit::RESULT_BITS),
      .DEPTH(TASKS + HARTS)
  ) ram (
      .clock,
      .write,
      .write_index,
      .write_value(write_result),
      .read_index,
      .read_value(read_result)
  );

  always_ff @(posedge clock) begin
    if (clear) begin
      written <= '0;
      jobs <= '0;
    end else begin
      if (write && write_id == 8'd0) written[write_hart] <= 1'b1;
      if (begins_job) jobs[write_id[$clog2(TASKS+1)-1:0]] <= !jobs[write_id[$clog2(TASKS+1)-1:0]];
    end
  end
endmodule
