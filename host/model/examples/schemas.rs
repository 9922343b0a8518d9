// SPDX-License-Identifier: Apache-2.0
//! Writes the JSON schemas in `docs/schema`, after a change of the format of descriptions.

use takt_model::schema;

fn main() -> std::io::Result<()> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema");
    std::fs::create_dir_all(folder)?;
    for (name, schema) in [("system", schema::system()), ("board", schema::board())] {
        std::fs::write(format!("{folder}/{name}.schema.json"), format!("{schema:#}\n"))?;
    }
    Ok(())
}
