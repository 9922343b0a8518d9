// SPDX-License-Identifier: Apache-2.0
// The earliest wake time and its task: the head of a sorted queue that is searched anew when the head leaves. Of equal
// times the lowest ID is first.
module rtu_delay (
    input  logic        clock,
    input  logic        clear,
    input  logic        step,
    // A task that begins to wait until a time; `replaces`: the result of a search, 0 if no task has a wake time.
    input  logic        offers,
    input  logic        replaces,
    input  logic [7:0]  id,
    input  logic [63:0] wake,
    output logic [7:0]  earliest_id,
    output logic [63:0] earliest
);
  logic better;
  assign better = earliest_id == 8'd0 || wake < earliest || (wake == earliest && id < earliest_id);

  always_ff @(posedge clock) begin
    if (clear) begin
      earliest_id <= 8'd0;
    end else if (step && (replaces || (offers && better))) begin
      earliest_id <= id;
      earliest <= wake;
    end
  end
endmodule
