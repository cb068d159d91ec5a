//! Results for machines: JUnit XML and SARIF 2.1.0.

use serde_json::{Value, json};

use super::Tally;
use super::compare::Difference;

/// A suite for each grammar: one test that tells what holds, and one that fails for each new difference.
pub(super) fn junit(tallies: &[Tally], new: &[&Difference], words: impl Fn(&Tally) -> String) -> String {
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n".to_owned();
    for tally in tallies {
        let failures: Vec<&&Difference> =
            new.iter().filter(|difference| difference.grammar == tally.grammar).collect();
        let name = escape(&tally.grammar);
        text.push_str(&format!(
            "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{}\">\n",
            failures.len() + 1,
            failures.len()
        ));
        text.push_str(&format!(
            "    <testcase classname=\"{name}\" name=\"all formulas\"><system-out>{}</system-out></testcase>\n",
            escape(&words(tally))
        ));
        for difference in failures {
            text.push_str(&format!(
                "    <testcase classname=\"{name}\" name=\"formula {}\"><failure type=\"{}\" message=\"{}\">{}\
                 </failure></testcase>\n",
                difference.index,
                difference.class.word(),
                escape(&difference.message),
                escape(&difference.formula)
            ));
        }
        text.push_str("  </testsuite>\n");
    }
    text.push_str("</testsuites>\n");
    text
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A result for each new difference.
pub(super) fn sarif(new: &[&Difference]) -> String {
    let results: Vec<Value> = new
        .iter()
        .map(|difference| {
            let place = format!("{}/{}", difference.grammar, difference.index);
            json!({
                "ruleId": difference.class.word(),
                "level": "error",
                "message": { "text": format!("{}\n{}", difference.message, difference.formula) },
                "locations": [{ "logicalLocations": [{ "fullyQualifiedName": place }] }],
            })
        })
        .collect();
    let mut classes: Vec<_> = new.iter().map(|difference| difference.class).collect();
    classes.sort_by_key(|class| class.word());
    classes.dedup();
    let rules: Vec<Value> = classes
        .iter()
        .map(|class| json!({ "id": class.word(), "shortDescription": { "text": class.about() } }))
        .collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": { "name": "smelt", "rules": rules } }, "results": results }],
    });
    format!("{log:#}\n")
}
