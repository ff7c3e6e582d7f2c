import EaselCore
import EaselManager
import EaselWorkers

extension ImageService {
  /// The original, if the URL wants originals of its format untouched.
  func untouchedOriginal(
    _ wanted: WantedImage, _ exchange: ServiceExchange
  ) async throws(ServiceError) -> ServiceResponse? {
    let formats = wanted.order.passedFormats
    guard !formats.isEmpty else { return nil }
    do throws(ImageError) {
      let original = try await loadOriginal(of: wanted)
      guard let format = try manager.configuration.coders.format(of: original.bytes),
        formats.contains(format)
      else { return nil }
      return exchange.response(original: original, format, for: wanted, at: clock.date)
    } catch {
      throw ServiceError(error)
    }
  }

  func original(_ wanted: WantedImage, _ exchange: ServiceExchange) async throws(ServiceError)
    -> ServiceResponse
  {
    do throws(ImageError) {
      let original = try await loadOriginal(of: wanted)
      // Whatever is no picture could be a page with scripts.
      guard let format = try manager.configuration.coders.format(of: original.bytes) else {
        throw ImageError(.unsupportedFormat, "The source is no picture.")
      }
      return exchange.response(original: original, format, for: wanted, at: clock.date)
    } catch {
      throw ServiceError(error)
    }
  }

  func info(_ wanted: WantedImage, _ exchange: ServiceExchange) async throws(ServiceError) -> ServiceResponse {
    do throws(ImageError) {
      let facts = try await slowPictures.run(wanted.slowName) { () throws(ImageError) in
        try await ImageFacts(of: wanted.request(), manager)
      }
      return exchange.response(facts, for: wanted, at: clock.date)
    } catch {
      throw ServiceError(error)
    }
  }

  /// Loads the original of a picture.
  ///
  /// One in a file that somebody may change is read before it is sent, so that what is sent is one version, unless it is
  /// very large.
  func loadOriginal(of wanted: WantedImage) async throws(ImageError) -> OriginalBytes {
    var original = try await manager.original(for: wanted.request())
    let bytes = original.bytes
    guard bytes.isInLoadersFile, bytes.count <= Self.mostBytesToRead else { return original }
    let workers = WorkerSet.files
    let terms = JobTerms(WorkTime(.seconds(30), clock: workers.clock)) {
      ImageError(.timedOut, "The file of the original was not read in time.")
    }
    do {
      original.bytes = try await workers.run(terms) { try bytes.loaded() }
    } catch {
      throw .wrapping(error, as: .network, "The file of the original could not be read.")
    }
    return original
  }

  private static let mostBytesToRead = 16 << 20
}
