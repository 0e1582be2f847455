//! Reads report files and prints the number of cases and the speed:
//! `cargo run --release -p argus-report --example read FILE...`
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a tool for measuring by hand"
)]

use std::time::Instant;

use argus_report::{Options, parse};

fn main() {
    for name in std::env::args().skip(1) {
        let bytes = std::fs::read(&name).unwrap();
        let options = Options { name, project_root: "/project".to_owned(), decoders: None };
        let start = Instant::now();
        let result = parse(std::io::BufReader::new(bytes.as_slice()), None, &options, &mut |_| {});
        let seconds = start.elapsed().as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "megabytes")]
        let megabytes = bytes.len() as f64 / 1e6;
        match result {
            Ok(parsed) => println!("{:?}: {} cases, {} problems", parsed.format, parsed.cases, parsed.problems.len()),
            Err(error) => println!("{error}"),
        }
        println!("{megabytes:.1} MB in {seconds:.3} s: {:.0} MB/s", megabytes / seconds);
    }
}
