import EaselCore
import EaselSupport
import FoundationEssentials

/// Makes a picture of one pixel; while the loader is held, it waits first.
final class HeldLoader: ImageLoader {
  private struct State {
    var isHeld = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  let cacheIdentity = CacheIdentity.plain
  private let state = Locked(State())

  func canLoad(_ url: URL) -> Bool { true }

  func hold() { state.withLock { $0.isHeld = true } }

  func letGo() {
    let waiting = state.withLock { state in
      state.isHeld = false
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    await withCheckedContinuation { continuation in
      let isHeld = state.withLock { state in
        if state.isHeld { state.waiting.append(continuation) }
        return state.isHeld
      }
      if !isHeld { continuation.resume() }
    }
    return .image(Image(try Bitmap(size: PixelSize(width: 1, height: 1), format: .rgba8)))
  }
}
