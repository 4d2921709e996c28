//! A bot in Rust, with nothing but the standard library: it reads an ask a line from its standard input and writes an
//! answer a line to its standard output. `montego run stdio` plays it over the network.
//!
//!     montego run stdio --name mine -- target/release/mine
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, BufRead, Write};

/// Your idea goes here: return the index of one of the legal actions. This example picks one at random.
fn choose(ask: &str) -> u64 {
    // The standard library has no random numbers, but its hashes have a random key.
    RandomState::new().build_hasher().finish() % legal_actions(ask).len() as u64
}

/// The legal actions of an ask, each as its JSON text. No text in an action has a bracket.
fn legal_actions(ask: &str) -> Vec<&str> {
    let name = "\"legal_actions\"";
    let list = ask.find(name).expect("an ask has legal actions") + name.len();
    let (mut depth, mut begun, mut found) = (0, 0, Vec::new());
    for (at, letter) in ask[list..].char_indices() {
        match letter {
            '[' | '{' => {
                if depth == 1 {
                    begun = at;
                }
                depth += 1;
            }
            ']' | '}' => {
                depth -= 1;
                if depth == 1 {
                    found.push(&ask[list + begun..=list + at]);
                }
                if depth == 0 {
                    break;
                }
            }
            _ => {}
        }
    }
    found
}

fn main() -> io::Result<()> {
    let mut output = io::stdout();
    for ask in io::stdin().lock().lines() {
        writeln!(output, "{{\"index\":{}}}", choose(&ask?))?;
        // Without this the answer stays in a buffer, and the service waits for it.
        output.flush()?;
    }
    Ok(())
}
