import EaselCore

/// The frames of a picture; the first ones are kept decoded, as many as fit in a budget of bytes.
///
/// This is a class, so that all players of one picture share its frames.
package final class PreloadedFrames: FrameSource {
  private let base: any FrameSource
  private let ready: [Bitmap]

  package init(_ base: any FrameSource, budget: Int, work: WorkContext) throws {
    var ready: [Bitmap] = []
    var bytes = 0
    for index in 0..<max(0, base.count) {
      try work.checkCancellation()
      let frame: Bitmap
      do {
        frame = try PluginChecks.frame(at: index, of: base, work: work)
      } catch {
        throw ImageError.wrapping(error, as: .badImageData, "Frame \(index) could not be made.")
      }
      bytes += frame.memoryCost
      guard bytes <= budget else { break }
      ready.append(frame)
    }
    self.base = base
    self.ready = ready
  }

  package var count: Int { base.count }
  package var loopCount: Int { base.loopCount }
  package var canvasSize: PixelSize { base.canvasSize }
  package var memoryCost: Int { ready.reduce(base.countableCost) { $0 + $1.memoryCost } }

  package func duration(at index: Int) -> Duration { index >= 0 && index < count ? base.duration(at: index) : .zero }

  package func frame(at index: Int) throws -> Bitmap {
    guard index >= 0, index < count else { throw ImageError.noFrame(index, among: count) }
    return ready.indices.contains(index) ? ready[index] : try base.frame(at: index)
  }

  package func frame(at index: Int, work: WorkContext) throws -> Bitmap {
    ready.indices.contains(index) ? ready[index] : try base.frame(at: index, work: work)
  }
}
