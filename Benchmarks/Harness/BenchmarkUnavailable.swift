/// Thrown by a case that cannot run on this machine, with the reason.
package struct BenchmarkUnavailable: Error {
  package let reason: String

  package init(_ reason: String) { self.reason = reason }
}
