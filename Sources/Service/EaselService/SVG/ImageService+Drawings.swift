import EaselCore
import EaselManager
import EaselWorkers

extension ImageService {
  /// The cleaned original of a drawing, which a URL wants as the drawing that it is.
  func drawing(_ wanted: WantedImage, _ exchange: ServiceExchange) async throws(ServiceError) -> ServiceResponse {
    do throws(ImageError) {
      var original = try await loadOriginal(of: wanted)
      guard try manager.configuration.coders.format(of: original.bytes) == .drawing else {
        throw ImageError(.unsupportedFormat, "The source is no drawing, and is not made one.")
      }
      let workers = WorkerSet.files
      let terms = JobTerms(WorkTime(.seconds(30), clock: workers.clock)) {
        ImageError(.timedOut, "The drawing was not cleaned in time.")
      }
      let bytes = original.bytes
      let cleaned: [UInt8]?
      do {
        cleaned = try await workers.run(terms) {
          guard bytes.count <= SVGCleaner.mostBytes else { return nil }
          return SVGCleaner.cleaned(try bytes.withUnsafeBytes { Array($0) })
        }
      } catch {
        throw .wrapping(error, as: .badImageData, "The drawing could not be cleaned.")
      }
      guard let cleaned else {
        throw ImageError(.badImageData, "The drawing is not understood, so that it cannot be cleaned.")
      }
      original.bytes = ImageBytes(cleaned)
      var response = exchange.response(original: original, .drawing, for: wanted, at: clock.date)
      // Its own styles and the pictures in it may show, and nothing else.
      response.headers["Content-Security-Policy"] =
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
      return response
    } catch {
      throw ServiceError(error)
    }
  }
}
