import Easel
import EaselSupport
import FoundationEssentials
import Glibc

/// One load through the manager, with all details of its result.
struct DetailedLoad: Sendable {
  let manager: ImageManager
  let options: ImageOptions
  var context: ImageContext
  /// True if only the bytes are wanted, without a picture.
  let isDataOnly: Bool
  let reader: InputReader

  struct Product: Sendable {
    var source: ImageEvent.Source?
    var status: Int?
    var size: PixelSize?
    var bytes: ImageBytes?
    var metrics: LoadResult.Metrics?
    var revalidationError: ImageError?
    var time = Duration.zero
  }

  func run(
    _ word: String, progress: @escaping @Sendable (Int, Int?) -> Void
  ) async -> Result<Product, ImageError> {
    let clock = SystemClock()
    let start = clock.uptime
    do throws(ImageError) {
      var product = try await load(word, progress)
      product.time = clock.uptime - start
      return .success(product)
    } catch {
      return .failure(error)
    }
  }

  private func load(
    _ word: String, _ progress: @escaping @Sendable (Int, Int?) -> Void
  ) async throws(ImageError) -> Product {
    let request: ImageRequest
    switch Input(word) {
    case .standardInput:
      let bytes = try reader.bytes(of: word)
      guard !isDataOnly else { return Product(source: .bytes, bytes: bytes) }
      return product(of: try await manager.result(from: bytes, options: options, context: context))
    case .file(let path): request = ImageRequest(url: Self.url(ofFile: path), options: options, context: context)
    case .url(let text): request = ImageRequest(text, options: options, context: context)
    }
    return isDataOnly ? try await data(request, progress) : try await picture(request, progress)
  }

  private func picture(
    _ request: ImageRequest, _ progress: @escaping @Sendable (Int, Int?) -> Void
  ) async throws(ImageError) -> Product {
    let task = manager.load(request)
    let events = task.events
    let watcher = Task.detached {
      for await case .progress(let received, let expected) in events { progress(received, expected) }
    }
    defer { watcher.cancel() }
    return product(of: try await task.result)
  }

  private func product(of result: ImageResult) -> Product {
    // Only a load that asked the server has a status. A cached picture has none.
    let isAnswered = [.network, .revalidated].contains(result.source)
    return Product(
      source: result.source, status: isAnswered ? result.response?.status : nil, size: result.image.size,
      bytes: result.bytes, metrics: result.metrics, revalidationError: result.revalidationError)
  }

  /// Loads bytes.
  ///
  /// An observer collects the details that the result of a picture would contain.
  private func data(
    _ request: ImageRequest, _ progress: @escaping @Sendable (Int, Int?) -> Void
  ) async throws(ImageError) -> Product {
    let known = Locked(Product())
    var request = request
    request.context[.observer] = .closure { event in
      known.withLock { product in
        switch event.kind {
        case .response(let head): product.status = head.status
        case .loaded(_, let metrics): product.metrics = metrics
        case .succeeded(let source): product.source = source
        default: break
        }
      }
    }
    let bytes = try await manager.bytes(for: request, progress: progress)
    var product = known.withLock { $0 }
    product.bytes = bytes
    return product
  }

  private static func url(ofFile path: String) -> URL {
    guard !path.hasPrefix("/") else { return URL(fileURLWithPath: path) }
    return URL(fileURLWithPath: FileManager.default.currentDirectoryPath + "/" + path)
  }
}
