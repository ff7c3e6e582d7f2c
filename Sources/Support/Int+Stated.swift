extension Int {
  /// Returns the sum with a number that a plug-in states.
  ///
  /// A negative number counts as 0, and a sum that is too large becomes `Int.max`, so that no stated number ends the
  /// program.
  package func adding(stated number: Int) -> Int {
    let (sum, overflows) = addingReportingOverflow(Swift.max(0, number))
    return overflows ? .max : sum
  }
}
