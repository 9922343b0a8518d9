// SPDX-License-Identifier: Apache-2.0
// A memory with a port for writing and one for reading, which takes no clock. A reader that names no entry gets
// something.
module rtu_ram #(
    parameter int unsigned WIDTH = 8,
    parameter int unsigned DEPTH = 8,
    parameter int unsigned INDEX = DEPTH > 1 ? $clog2(DEPTH) : 1
) (
    input  logic             clock,
    input  logic             write,
    input  logic [INDEX-1:0] write_index,
    input  logic [WIDTH-1:0] write_value,
    input  logic [INDEX-1:0] read_index,
    output logic [WIDTH-1:0] read_value
);
  logic [WIDTH-1:0] entries[DEPTH];

  always_ff @(posedge clock) begin
    if (write) entries[write_index] <= write_value;
  end

  assign read_value = entries[read_index];
endmodule
