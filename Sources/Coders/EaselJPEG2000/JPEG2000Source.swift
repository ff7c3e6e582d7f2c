import CEaselJPEG2000
import EaselCore

/// Gives OpenJPEG the bytes of a codestream as it needs them, as long as the work may go on.
///
/// Of a part of a picture it needs few, so those of a file are not loaded.
final class JPEG2000Source {
  private let bytes: ImageBytes
  private let range: Range<Int>
  private let work: WorkContext
  /// The error that ended the work early.
  private(set) var failure: ImageError?

  init(_ bytes: ImageBytes, _ range: Range<Int>, work: WorkContext) {
    (self.bytes, self.range, self.work) = (bytes, range, work)
  }

  /// Calls `body` with the bytes for C.
  func withBytes<Result>(_ body: (UnsafePointer<easel_jpeg2000_bytes>) -> Result) -> Result {
    withExtendedLifetime(self) {
      var bytes = easel_jpeg2000_bytes()
      bytes.count = range.count
      bytes.context = Unmanaged.passUnretained(self).toOpaque()
      bytes.read = { context, place, target, count in
        guard let context, let target else { return 0 }
        return Unmanaged<JPEG2000Source>.fromOpaque(context).takeUnretainedValue()
          .read(at: place, into: UnsafeMutableRawBufferPointer(start: target, count: count))
      }
      return body(&bytes)
    }
  }

  private func read(at place: Int, into target: UnsafeMutableRawBufferPointer) -> Int {
    guard failure == nil, place < range.count else { return 0 }
    let count = min(target.count, range.count - place)
    do throws(ImageError) {
      try work.checkCancellation()
      return try bytes.read(
        at: range.lowerBound + place, into: UnsafeMutableRawBufferPointer(rebasing: target[..<count]))
    } catch {
      failure = error
      return 0
    }
  }
}
