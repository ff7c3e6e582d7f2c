import CEaselCurl
import EaselCore
import FoundationEssentials

/// Follows redirects.
extension CurlExchange {
  /// Makes the step that the head of a redirect leads to, and the redirect's description for the loader's hook.
  func redirected(by head: ResponseHead) throws(ImageError) -> (step: TransferStep, redirect: CurlLoader.Redirect) {
    let text = try target(of: head)
    guard let target = URL(string: text), let origin = TransferStep.origin(text) else {
      throw .noRedirectTarget(text, subject: subject, head)
    }
    let most = engine.configuration.maximumRedirects
    guard step.redirectCount < most else {
      throw ImageError(
        .network, "The server redirects more than \(most) times (maximumRedirects).", subject: subject,
        causes: [CurlLoader.Failure(CURLE_TOO_MANY_REDIRECTS)])
    }
    let next = step.redirected(
      by: head, to: text, of: job.request, isForeign: TransferStep.origin(step.url) != origin,
      allowing: engine.configuration)
    let redirect = CurlLoader.Redirect(
      source: step.responseURL(job.request) ?? job.request.url, target: target, status: head.status ?? 0,
      count: next.redirectCount, isForeign: next.isForeign)
    return (next, redirect)
  }

  /// The absolute http or https URL that the redirect leads to.
  private func target(of head: ResponseHead) throws(ImageError) -> String {
    let locations = Set(head.headers.values(of: "Location").filter { !$0.isEmpty })
    guard let location = locations.first, locations.count == 1 else {
      throw ImageError(
        .network,
        "The server redirects to several URLs at once: \(locations.sorted().joined(separator: ", ").inMessage).",
        subject: subject, response: head, cause: CurlLoader.Failure(CURLE_WEIRD_SERVER_REPLY))
    }
    guard Self.scheme(of: location).map({ ["http", "https"].contains($0) }) ?? true else {
      throw ImageError(
        .unsupportedURL, "The server redirects to \(location.inMessage), but only http and https are followed.",
        subject: subject, response: head)
    }
    guard let resolved = easel_url_resolve(step.url, location) else {
      throw .noRedirectTarget(location, subject: subject, head)
    }
    defer { easel_url_free(resolved) }
    return String(cString: resolved)
  }

  /// The scheme of a reference in lower case; nil for a relative reference.
  private static func scheme(of reference: String) -> String? {
    let name = reference.prefix { $0 != ":" }
    guard name.endIndex != reference.endIndex, let first = name.first, first.isASCII, first.isLetter else { return nil }
    let isName = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    return isName ? name.lowercased() : nil
  }
}
