import Easel

/// Reads the metrics of a server.
struct MetricsSource: Sendable {
  let address: String
  private let manager: ImageManager

  /// Returns nil for an invalid address; an address without a path means `/metrics`.
  init?(_ address: String) {
    let whole = address.contains("://") ? address : "http://\(address)"
    guard let scheme = ["http://", "https://"].first(where: whole.lowercased().hasPrefix) else { return nil }
    let rest = whole.dropFirst(scheme.count)
    guard let first = rest.first, first != "/" else { return nil }
    let path = rest.drop { $0 != "/" }
    self.address = path.isEmpty ? whole + "/metrics" : path == "/" ? whole + "metrics" : whole
    var network = CurlLoader.Configuration.program
    network.totalTimeout = .seconds(5)
    var configuration = ImageManager.Configuration(
      loader: CurlLoader(network), coder: .standard, cache: TieredCache())
    configuration.limits.downloadBytes = 4 << 20
    manager = ImageManager(configuration)
  }

  /// Reads the metrics, and blocks until they arrive.
  func read() throws(ImageError) -> MetricsReading {
    let (manager, address) = (manager, address)
    let result = waitFor { () async -> Result<ImageBytes, ImageError> in
      do throws(ImageError) {
        let request = ImageRequest(address, options: .retryFailed)
        return .success(try await manager.bytes(for: request))
      } catch {
        return .failure(error)
      }
    }
    let bytes: ImageBytes
    do {
      bytes = try result.get()
    } catch {
      guard error.code != .badStatus else { throw Self.somethingElse }
      throw ImageError(
        error.code, "The server cannot be reached. It must run with --metrics HOST:PORT. \(error.message)",
        cause: error.causes.first)
    }
    guard let text = String(validating: try bytes.data(), as: UTF8.self), let reading = MetricsReading(text),
      reading.isOfEasel
    else { throw Self.somethingElse }
    return reading
  }

  private static var somethingElse: ImageError {
    ImageError(
      .badImageData,
      "A server answers there, but not with the metrics of easel serve. Give the address that easel serve prints after "
        + "'metrics on'.")
  }
}
