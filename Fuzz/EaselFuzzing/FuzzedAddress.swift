import EaselAVIF
import EaselCore
import EaselJPEG
import EaselPNG
import EaselService
import EaselTransformers

/// Drives the readers of all grammars of URLs with text that may be anything.
public struct FuzzedAddress: Sendable {
  private let imgproxy = OrderReaders.reader(
    .imgproxy, rules: FuzzedAddress.rules, signer: nil, formats: FuzzedAddress.formats)
  private let thumbor = OrderReaders.reader(
    .thumbor, rules: URLRules(), signer: nil, formats: FuzzedAddress.formats)
  private let signed = OrderReaders.reader(
    .imgproxy, rules: URLRules(), signer: URLSigner([URLSigner.Key(key: [1], salt: [2])]),
    formats: FuzzedAddress.formats)

  /// Those without signatures.
  private let others: [any URLGrammar] = [
    CloudflareGrammar(), NextGrammar(), IIIFGrammar(), DeepZoomGrammar(),
  ]

  /// Tries one input; its last byte chooses the grammar.
  public func run(_ input: UnsafeRawBufferPointer) {
    guard let choice = input.last, let text = String(validating: input.dropLast(), as: UTF8.self) else { return }
    precondition(order(of: "/x/\(text)", by: signed) == nil, "A signature was made up.")
    if choice >= 128 {
      if let order = order(of: "/\(text)", by: others[Int(choice) % others.count]) { complete(order) }
      return
    }
    guard let order = order(of: "/unsafe/\(text)", by: choice & 1 == 0 ? imgproxy : thumbor) else { return }
    check(order)
  }

  /// Completes an order for pictures of several sizes.
  private func complete(_ order: ImageOrder) {
    guard let completion = order.completion else { return check(order) }
    for size in [PixelSize(width: 1, height: 1), PixelSize(width: 40_000, height: 3)] {
      do throws(ServiceError) {
        let whole = try completion(size)
        let region = whole.region ?? PixelRect(covering: size)
        precondition(!region.isEmpty, "A part of a picture has no pixels.")
        precondition(region.intersection(PixelRect(covering: size)) == region, "A part lies outside of its picture.")
        check(whole)
      } catch {
        precondition([400, 404].contains(error.status), "The status \(error.status) is none of a size.")
      }
    }
  }

  private func check(_ order: ImageOrder) {
    precondition(!order.source.isEmpty, "An order has no source.")
    precondition(order.quality.map { (0...1).contains($0) } ?? true, "The quality is out of bounds.")
    precondition(order.maxBytes ?? 1 > 0 && order.maxAge ?? 0 >= 0, "A number is negative.")
    do throws(ServiceError) {
      let steps = try order.pipelineWithoutWatermarks()
      // The key must be readable, because people repeat it with the program.
      if !steps.isIdentity { precondition(!steps.cacheKey.isEmpty, "A pipeline has no key.") }
    } catch {
      precondition(error.status == 400, "A pipeline fails with another status.")
    }
  }

  private func order(of target: String, by reader: any URLGrammar) -> ImageOrder? {
    do throws(ServiceError) {
      return try reader.order(at: target[...], now: 0)
    } catch {
      precondition([400, 403, 404].contains(error.status), "The status \(error.status) is none of an address.")
      precondition(error.message.utf8.count < 600, "The message is too long.")
      return nil
    }
  }

  private static let formats = FormatNames(CoderRegistry([PNGCoder(), JPEGCoder(), AVIFCoder()]))

  private static let rules: URLRules = {
    do {
      return try URLRules(presets: ["small=rs:fit:100:100", "soft=bl:2/pr:small"], allowsLimits: true)
    } catch {
      preconditionFailure("The presets are wrong: \(error)")
    }
  }()
}

/// Tries one input on the readers of addresses, for the C that the fuzzer calls.
@_cdecl("easel_fuzz_address")
public func fuzzAddress(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  FuzzedAddress().run(UnsafeRawBufferPointer(start: start, count: count))
}
