//! The functions that JavaScript calls.
//!
//! JavaScript asks for room with [`airtcp_input`], writes the request there, and calls [`airtcp_call`]. The
//! answer is at [`airtcp_output`]. A panic ends the instance; [`airtcp_output`] then has its message, which
//! begins with [`PANIC`].
#![allow(unsafe_code, reason = "a function keeps its name only with #[unsafe(no_mangle)]")]

use std::cell::RefCell;
use std::sync::Once;

use crate::answer::answer;

/// What a message in place of an answer begins with.
pub const PANIC: &str = "panic: ";

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

static HOOK: Once = Once::new();

/// Makes room for a request of `length` bytes and returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn airtcp_input(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(length, 0);
        input.as_mut_ptr()
    })
}

/// Handles the request, and returns the length of the answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn airtcp_call() -> usize {
    HOOK.call_once(|| std::panic::set_hook(Box::new(|panic| keep(&panic.to_string()))));
    let request = INPUT.take();
    let text = answer(&String::from_utf8_lossy(&request));
    OUTPUT.with_borrow_mut(|output| {
        *output = text.into_bytes();
        output.len()
    })
}

/// The address of the answer, which stays until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn airtcp_output() -> *const u8 {
    OUTPUT.with_borrow(Vec::as_ptr)
}

/// The length of the answer or of the message of a panic, in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn airtcp_output_length() -> usize {
    OUTPUT.with_borrow(Vec::len)
}

/// Keeps the message of a panic for the page.
fn keep(message: &str) {
    OUTPUT.with(|output| {
        if let Ok(mut output) = output.try_borrow_mut() {
            *output = format!("{PANIC}{message}").into_bytes();
        }
    });
}
