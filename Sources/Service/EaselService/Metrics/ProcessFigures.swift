import EaselCore
import EaselSupport
import FoundationEssentials
import Glibc

/// The figures of a process that its operator watches; nil for one that cannot be read.
package protocol ProcessFigures: Sendable {
  var residentBytes: Int? { get }
  var processorSeconds: Double? { get }
  /// The processor time of the processes that it started, and of theirs, whether they live or have ended.
  var childSeconds: Double? { get }
  var openDescriptors: Int? { get }
  var mostDescriptors: Int? { get }
  var startSeconds: Double? { get }
}
