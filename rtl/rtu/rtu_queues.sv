// SPDX-License-Identifier: Apache-2.0
// The table of queues and the places of their messages. Messages lie in no order: the first one is searched. One ID
// names the queue of all ports.
module rtu_queues #(
    parameter int unsigned QUEUES = 16,
    parameter int unsigned MESSAGES = 16,
    parameter int unsigned LANES = 8
) (
    input  logic                clock,
    input  logic                clear,
    input  logic [9:0]          id,
    output logic                created,      // there is a queue of this ID
    output unit::queue_t        entry,
    input  logic                write,
    input  logic                create,
    input  unit::queue_t        write_entry,
    // A row of places, for a search.
    input  logic [9:0]          row,
    output logic [LANES-1:0]    occupied,
    output logic [LANES*54-1:0] keys,         // level and order
    output logic [9:0]          free,         // the first place without a message
    // A message is put into a place, its key and its word each in a clock of its own or in one; or is taken out.
    input  logic [9:0]          place,
    input  logic                put_key,
    input  logic                put_word,
    input  logic                remove,
    input  logic [53:0]         put_key_value,
    input  logic [63:0]         put_word_value,
    output logic [63:0]         word
);
  localparam int unsigned INDEX = QUEUES > 1 ? $clog2(QUEUES) : 1;
  localparam int unsigned LANE = $clog2(LANES);
  localparam int unsigned ROWS = MESSAGES / LANES;
  localparam int unsigned KEY_INDEX = QUEUES * ROWS > 1 ? $clog2(QUEUES * ROWS) : 1;
  localparam int unsigned WORD_INDEX = $clog2(QUEUES * MESSAGES);

  logic [QUEUES-1:0]   there;
  logic [9:0]          queue;
  logic [MESSAGES-1:0] places, places_then;
  assign queue = id - 10'd1;
  assign created = 32'(queue) < QUEUES && there[queue[INDEX-1:0]];

  rtu_ram #(
      .WIDTH(unit::QUEUE_BITS),
      .DEPTH(QUEUES)
  ) ram (
      .clock,
      .write,
      .write_index(queue[INDEX-1:0]),
      .write_value(write_entry),
      .read_index(queue[INDEX-1:0]),
      .read_value(entry)
  );

  // Which places have a message.
  rtu_ram #(
      .WIDTH(MESSAGES),
      .DEPTH(QUEUES)
  ) occupation (
      .clock,
      .write(put_key || remove || create),
      .write_index(queue[INDEX-1:0]),
      .write_value(places_then),
      .read_index(queue[INDEX-1:0]),
      .read_value(places)
  );

  always_comb begin
    places_then = create ? '0 : places;
    for (int unsigned at = 0; at < MESSAGES; at++) begin
      if (32'(place) == at && put_key) places_then[at] = 1'b1;
      if (32'(place) == at && remove) places_then[at] = 1'b0;
    end
    free = 10'd0;
    for (int unsigned at = MESSAGES; at > 0; at--) if (!places[at-1]) free = 10'(at - 1);
  end

  assign occupied = places[32'(row)*LANES+:LANES];

  logic [31:0] read_row, write_row, word_place;
  assign read_row = 32'(queue) * ROWS + 32'(row);
  assign write_row = 32'(queue) * ROWS + (32'(place) >> LANE);
  assign word_place = 32'(queue) * MESSAGES + 32'(place);

  for (genvar lane = 0; lane < LANES; lane++) begin : memory
    rtu_ram #(
        .WIDTH(54),
        .DEPTH(QUEUES * ROWS)
    ) ram (
        .clock,
        .write(put_key && place[LANE-1:0] == LANE'(lane)),
        .write_index(write_row[KEY_INDEX-1:0]),
        .write_value(put_key_value),
        .read_index(read_row[KEY_INDEX-1:0]),
        .read_value(keys[lane*54+:54])
    );
  end

  rtu_ram #(
      .WIDTH(64),
      .DEPTH(QUEUES * MESSAGES)
  ) words (
      .clock,
      .write(put_word),
      .write_index(word_place[WORD_INDEX-1:0]),
      .write_value(put_word_value),
      .read_index(word_place[WORD_INDEX-1:0]),
      .read_value(word)
  );

  always_ff @(posedge clock) begin
    if (clear) there <= '0;
    else if (create) there[queue[INDEX-1:0]] <= 1'b1;
  end
endmodule
