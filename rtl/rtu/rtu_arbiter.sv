// SPDX-License-Identifier: Apache-2.0
// What is served next: a wake time that has come, unless the last thing was one and a page waits; else the waiting page
// that follows the one served last, in a circle.
module rtu_arbiter #(
    parameter int unsigned HARTS = 8
) (
    input  logic             clock,
    input  logic             clear,
    input  logic             free,         // a service may begin at this edge
    input  logic [HARTS-1:0] waits,
    input  logic             due,          // the earliest wake time has come
    output logic             begins,
    output logic             wakes,        // what begins is a wake time's
    output logic [3:0]       page
);
  logic [3:0] last;
  logic       last_was_wake;
  int unsigned candidate;

  assign wakes = due && !(last_was_wake && waits != '0);
  assign begins = free && (wakes || waits != '0);

  always_comb begin
    page = last;
    for (int unsigned distance = HARTS; distance > 0; distance--) begin
      candidate = 32'(last) + distance;
      if (candidate >= HARTS) candidate = candidate - HARTS;
      if (waits[candidate]) page = 4'(candidate);
    end
  end

  always_ff @(posedge clock) begin
    if (clear) begin
      last <= 4'(HARTS - 1);
      last_was_wake <= 1'b0;
    end else if (begins) begin
      last_was_wake <= wakes;
      if (!wakes) last <= page;
    end
  end
endmodule
