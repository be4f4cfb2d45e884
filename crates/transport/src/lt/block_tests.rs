//! Tests of the arithmetic of blocks.

use super::*;
