//! Memory that is free but still counted as ours.

/// Hands free memory back to the system.
///
/// Building a model leaves holes in the heap that are too small for a factor; the allocator keeps them.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            safe fn malloc_trim(pad: usize) -> i32;
        }
        malloc_trim(0);
    }
}
