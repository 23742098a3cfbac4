//! The story that `querylayer director demo` tells.

use crate::process::json;

#[test]
fn every_planted_fault_is_found_mended_and_gone() {
    let told = json(&["director", "demo", "--json"]);
    let lines: Vec<String> = told["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .map(|step| {
            format!(
                "{} {}",
                step["held"],
                step["step"].as_str().unwrap_or_default()
            )
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    true A policy pack and an agent for each role
    true A person approves the topic; two stages begin at once
    true A claim without a source is found
    true An instruction hidden in a source is found
    true An agent that claims more than it earned is lowered
    true Corrected, both pass, and the passages are read and attested
    true One word of a quotation isn't the edition's
    true Nobody can approve the script as it is
    true Corrected, the quotation is the edition's
    true Five agents work from the approved script
    true The gate seals every document and the page
    true A person approves exactly that
    true It is live, as it was sealed
    ");
    assert_eq!(told["ok"], true);
}

#[test]
fn the_envelopes_are_printed_as_the_golden_file_has_them() {
    let golden = include_str!("../../../../ql-pipeline/tests/golden/envelopes.json");
    let golden: serde_json::Value = serde_json::from_str(golden).expect("JSON");
    assert_eq!(json(&["schema", "envelopes"]), golden);
}
