// SPDX-License-Identifier: Apache-2.0
// The comparators of all searches. In each clock the least key of a row is found in a tree, and compared with that of
// the rows before. Of equal keys the one with the lowest index wins.
module rtu_search #(
    parameter int unsigned LANES = 8
) (
    input  logic                clock,
    input  logic                step,
    input  logic                begins,   // this is the first row
    input  logic [9:0]          row,
    input  logic [LANES-1:0]    hits,
    input  logic [LANES*64-1:0] keys,
    // With this row.
    output logic                found,
    output logic [9:0]          index,
    output logic [63:0]         key,
    // Of the last search that ended.
    output logic                was_found,
    output logic [9:0]          was_index,
    output logic [63:0]         was_key
);
  localparam int unsigned LANE = $clog2(LANES);

  // A heap: node n has the better one of 2n and 2n + 1, and the lanes are the last nodes.
  logic [2*LANES-1:0]      node_found;
  logic [2*LANES*64-1:0]   node_key;
  logic [2*LANES*LANE-1:0] node_lane;

  always_comb begin
    node_found = {hits, {LANES{1'b0}}};
    node_key = {keys, {LANES * 64{1'b0}}};
    node_lane = '0;
    for (int unsigned lane = 0; lane < LANES; lane++) node_lane[(LANES+lane)*LANE+:LANE] = LANE'(lane);
    for (int unsigned n = LANES - 1; n > 0; n--) begin
      if (node_found[2*n+1] && (!node_found[2*n] || node_key[(2*n+1)*64+:64] < node_key[2*n*64+:64])) begin
        node_key[n*64+:64] = node_key[(2*n+1)*64+:64];
        node_lane[n*LANE+:LANE] = node_lane[(2*n+1)*LANE+:LANE];
      end else begin
        node_key[n*64+:64] = node_key[2*n*64+:64];
        node_lane[n*LANE+:LANE] = node_lane[2*n*LANE+:LANE];
      end
      node_found[n] = node_found[2*n] || node_found[2*n+1];
    end
  end

  logic better;
  assign better = node_found[1] && (begins || !was_found || node_key[64+:64] < was_key);
  assign found = node_found[1] || (!begins && was_found);
  assign key = better ? node_key[64+:64] : was_key;
  assign index = better ? row << LANE | 10'(node_lane[LANE+:LANE]) : was_index;

  always_ff @(posedge clock) begin
    if (step) begin
      was_found <= found;
      was_index <= index;
      was_key <= key;
    end
  end
endmodule
