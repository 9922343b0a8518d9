// SPDX-License-Identifier: Apache-2.0
// The table of semaphores.
module rtu_semaphores #(
    parameter int unsigned SEMAPHORES = 64
) (
    input  logic             clock,
    input  logic             clear,
    input  logic [9:0]       id,
    output logic             created,      // there is a semaphore of this ID
    output unit::semaphore_t entry,
    input  logic             write,
    input  unit::semaphore_t write_entry
);
  localparam int unsigned INDEX = SEMAPHORES > 1 ? $clog2(SEMAPHORES) : 1;

  logic [SEMAPHORES-1:0] there;
  logic [9:0]            place;
  assign place = id - 10'd1;
  assign created = 32'(place) < SEMAPHORES && there[place[INDEX-1:0]];

  rtu_ram #(
      .WIDTH(unit::SEMAPHORE_BITS),
      .DEPTH(SEMAPHORES)
  ) ram (
      .clock,
      .write,
      .write_index(place[INDEX-1:0]),
      .write_value(write_entry),
      .read_index(place[INDEX-1:0]),
      .read_value(entry)
  );

  always_ff @(posedge clock) begin
    if (clear) there <= '0;
    else if (write) there[place[INDEX-1:0]] <= 1'b1;
  end
endmodule
