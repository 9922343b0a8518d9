// SPDX-License-Identifier: Apache-2.0
// The first ready task of each hart. A task that becomes ready or rises is compared with it and takes no clock; where the
// first one leaves, a search says who follows.
module rtu_ready #(
    parameter int unsigned HARTS = 8
) (
    input  logic               clock,
    input  logic               clear,
    input  logic               step,
    // A ready task with its new level and order; `replaces`: the result of a search, 0 if there is none.
    input  logic               offers,
    input  logic               replaces,
    input  logic [3:0]         hart,
    input  logic [7:0]         id,
    input  logic [5:0]         level,
    input  logic [47:0]        order,
    // Harts' decisions change.
    input  logic               publish,
    input  logic               enabled,
    output logic [HARTS*8-1:0] first,
    output logic [HARTS*8-1:0] next
);
  for (genvar h = 0; h < HARTS; h++) begin : each
    logic [5:0]  first_level;
    logic [47:0] first_order;
    logic [7:0]  first_id;
    logic        mine, better;

    assign first[h*8+:8] = first_id;
    assign mine = 32'(hart) == h;
    assign better = first_id == 8'd0 || {level, order} < {first_level, first_order};

    always_ff @(posedge clock) begin
      if (clear) begin
        first_id <= 8'd0;
      end else if (step && mine && (replaces || (offers && better))) begin
        first_id <= id;
        first_level <= level;
        first_order <= order;
      end
      if (clear) next[h*8+:8] <= 8'd0;
      else if (publish) next[h*8+:8] <= enabled ? first_id : 8'd0;
    end
  end
endmodule
