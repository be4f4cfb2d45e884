//! Parses a script: header lines with the configuration, then timed lines.
//!
//! Wrong input gives an error with its line and never a panic. The number of segments from a line is
//! bounded.

use airtcp_packet::Seq;
use airtcp_transport::tcp::{Profile, Role, TcpConfig};
use airtcp_units::{Nanos, Span};

use super::document::{Action, Script, ScriptError, Step, When};
use super::expect::{Expectation, Want, check_name};
use super::notation;
use super::origin::{Origin, Origins};
use super::pattern::Pattern;

/// Maximum number of steps of a script.
const MAX_STEPS: usize = 100_000;

/// Parses a script. Errors name the file as `file`.
///
/// # Errors
/// The first wrong line, with what is accepted.
pub fn parse(file: &str, text: &str) -> Result<Script, ScriptError> {
    let mut header = Header::default();
    let mut steps: Vec<Step> = Vec::new();
    let mut last = Nanos::ZERO;
    for (number, line) in text.lines().enumerate().map(|(n, line)| (n + 1, line)) {
        let fail = |message: String| ScriptError { file: file.to_owned(), line: number, message };
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        if steps.is_empty() && header.take(line, number).map_err(fail)? {
            continue;
        }
        for step in parse_step(line, number).map_err(fail)? {
            if let When::At(at) = step.at {
                if at < last {
                    return Err(fail("the time lies before that of an earlier line".into()));
                }
                last = at;
            }
            steps.push(step);
        }
        if steps.len() > MAX_STEPS {
            return Err(fail(format!("a script has at most {MAX_STEPS} segments")));
        }
    }
    let end = text.lines().count().max(1);
    let fail = |line, message| ScriptError { file: file.to_owned(), line, message };
    if steps.is_empty() {
        return Err(fail(end, "the script does nothing: it has no timed line".into()));
    }
    let config = header.config().map_err(|(line, message)| fail(line.unwrap_or(end), message))?;
    Ok(Script {
        file: file.to_owned(),
        config,
        role: header.role,
        origins: header.origins,
        tolerance: header.tolerance,
        steps,
    })
}

/// Configuration from the header lines.
struct Header {
    profile: Profile,
    role: Role,
    origins: Origins,
    tolerance: Span,
    /// Settings and their lines.
    set: Vec<(usize, String, toml::Value)>,
}

impl Default for Header {
    fn default() -> Self {
        Self {
            profile: Profile::Rfc,
            role: Role::Active,
            // Different and not zero, so that no script passes by accident.
            origins: Origins {
                ours: Origin { wire: Seq(1_000_000), script: 0 },
                peer: Origin { wire: Seq(3_000_000_000), script: 0 },
            },
            tolerance: Span::ZERO,
            set: Vec::new(),
        }
    }
}

impl Header {
    /// Parses a header line; false for other lines.
    fn take(&mut self, line: &str, number: usize) -> Result<bool, String> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let wire = || {
            rest.parse()
                .map(Seq)
                .map_err(|_| format!("{word} takes a number below 2^32, not \"{rest}\""))
        };
        let base = || {
            rest.parse::<u32>()
                .map(i64::from)
                .map_err(|_| format!("{word} takes a number below 2^32, not \"{rest}\""))
        };
        match word {
            "profile" => {
                self.profile =
                    Profile::ALL.into_iter().find(|p| p.name() == rest).ok_or_else(|| {
                        let names: Vec<_> = Profile::ALL.iter().map(|p| p.name()).collect();
                        format!("unknown profile \"{rest}\": expected {}", names.join(", "))
                    })?;
            }
            "role" => {
                self.role = match rest {
                    "active" => Role::Active,
                    "passive" => Role::Passive,
                    _ => {
                        return Err(format!("unknown role \"{rest}\": expected active, passive"));
                    }
                };
            }
            "iss" => self.origins.ours.wire = wire()?,
            "peer_iss" => self.origins.peer.wire = wire()?,
            "base" => self.origins.ours.script = base()?,
            "peer_base" => self.origins.peer.script = base()?,
            "tolerance" => self.tolerance = rest.parse().map_err(|e| format!("tolerance: {e}"))?,
            "set" => {
                let table: toml::Table = toml::from_str(rest).map_err(|e| {
                    format!("set takes KEY = VALUE in TOML: {}", e.message().trim())
                })?;
                for (key, value) in table {
                    check_setting(&key, &value)?;
                    self.set.push((number, key, value));
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The configuration, checked as a whole.
    fn config(&self) -> Result<TcpConfig, (Option<usize>, String)> {
        let mut table = toml::Table::try_from(TcpConfig::profile(self.profile))
            .map_err(|e| (None, e.to_string()))?;
        for (_, key, value) in &self.set {
            table.insert(key.clone(), value.clone());
        }
        let config: TcpConfig =
            table.try_into().map_err(|e: toml::de::Error| (None, e.message().to_owned()))?;
        config.validate().map_err(|e| {
            let text = e.to_string();
            let line = self.set.iter().rev().find(|(_, key, _)| text.contains(key.as_str()));
            (line.map(|(line, ..)| *line), text)
        })?;
        Ok(config)
    }
}

/// Checks one setting by itself, so that an error names its line.
fn check_setting(key: &str, value: &toml::Value) -> Result<(), String> {
    let mut table = toml::Table::new();
    table.insert(key.to_owned(), value.clone());
    table.try_into::<TcpConfig>().map(drop).map_err(|e| e.message().trim().to_owned())
}

/// A timed line: `[TIME] ACTION`.
fn parse_step(line: &str, number: usize) -> Result<Vec<Step>, String> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let timed = word.starts_with(|c: char| c.is_ascii_digit() || c == '+');
    let (at, tolerance, action) = if timed {
        let (time, tolerance) = match word.split_once('~') {
            None => (word, None),
            Some((time, tolerance)) => (time, Some(Span(seconds(tolerance)?))),
        };
        let at = match time.strip_prefix('+') {
            Some(span) => When::After(Span(seconds(span)?)),
            None => When::At(Nanos(seconds(time)?)),
        };
        (at, tolerance, rest.trim())
    } else {
        (When::Same, None, line)
    };
    let actions = parse_action(action)?;
    let step = |(n, action)| {
        // The first segment of a line has the line's time; the others follow at the same time.
        Step { line: number, at: if n == 0 { at } else { When::Same }, tolerance, action }
    };
    Ok(actions.into_iter().enumerate().map(step).collect())
}

/// Decimal seconds as nanoseconds, exactly.
fn seconds(text: &str) -> Result<u64, String> {
    let bad = || format!("\"{text}\" is not a time in seconds such as 0.100");
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !(fraction.is_empty() || digits(fraction)) || fraction.len() > 9 {
        return Err(bad());
    }
    let secs: u64 = whole.parse().map_err(|_| bad())?;
    let nanos: u64 = format!("{fraction:0<9}").parse().map_err(|_| bad())?;
    // A century, far below the range of 64 bits of nanoseconds.
    if secs > 3_200_000_000 {
        return Err(bad());
    }
    Ok(secs * 1_000_000_000 + nanos)
}

fn parse_action(text: &str) -> Result<Vec<Action>, String> {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    let plain = |action: Action| {
        if rest.is_empty() {
            Ok(vec![action])
        } else {
            Err(format!("\"{word}\" takes no argument"))
        }
    };
    match word {
        "<" => Ok(patterns(rest)?.map(Action::Receives).collect()),
        ">" => Ok(patterns(rest)?.map(Action::Sends).collect()),
        "open" => plain(Action::Open),
        "close" => plain(Action::Close),
        "abort" => plain(Action::Abort),
        "skip" => plain(Action::Skip),
        "write" => amount(word, rest, "accepts").map(|(n, m)| vec![Action::Write(n, m)]),
        "read" => amount(word, rest, "gives").map(|(n, m)| vec![Action::Read(n, m)]),
        "auto_read" => match rest {
            "on" => Ok(vec![Action::AutoRead(true)]),
            "off" => Ok(vec![Action::AutoRead(false)]),
            _ => Err("auto_read is followed by on or off".into()),
        },
        "silence" => Ok(vec![Action::Silence(Span(seconds(rest)?))]),
        "expect" => expectations(rest).map(|list| vec![Action::Expect(list)]),
        _ => Err(format!(
            "unknown line \"{text}\": expected < SEGMENT, > SEGMENT, open, write N, read N, \
             close, abort, auto_read, silence SECONDS, skip, expect NAME VALUE ..., and before the \
             first of them profile, role, set KEY = VALUE, iss, peer_iss, base, peer_base, tolerance"
        )),
    }
}

fn patterns(text: &str) -> Result<impl Iterator<Item = Box<Pattern>>, String> {
    Ok(notation::parse(text)?.into_iter().map(Box::new))
}

/// `N` or `N WORD M`.
fn amount(what: &str, text: &str, word: &str) -> Result<(u64, Option<u64>), String> {
    let number = |text: &str| text.replace('_', "").parse::<u64>().ok();
    let words: Vec<&str> = text.split_whitespace().collect();
    let parsed = match words[..] {
        [n] => number(n).map(|n| (n, None)),
        [n, w, m] if w == word => number(n).zip(number(m)).map(|(n, m)| (n, Some(m))),
        _ => None,
    };
    parsed.ok_or_else(|| format!("\"{what} {text}\": accepted is {what} N or {what} N {word} M"))
}

fn expectations(text: &str) -> Result<Vec<Expectation>, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.is_empty() || !words.len().is_multiple_of(2) {
        return Err("expect takes pairs of a name and a value".into());
    }
    let one = |pair: &[&str]| {
        check_name(pair[0])?;
        Ok(Expectation { name: pair[0].to_owned(), want: Want::parse(pair[1])? })
    };
    words.chunks_exact(2).map(one).collect()
}
