import AdapterStudio
import EaselHummingbird
import EaselService
import Hummingbird
import Testing

@Suite(.serialized)
struct HummingbirdTests {
  @Test(arguments: ServerContract.Rule.allCases)
  func keepsTheContract(rule: ServerContract.Rule) async throws {
    let contract = ServerContract { studio, body in
      let router = Router(context: PictureRequestContext.self)
      router.add(middleware: PictureMiddleware(studio.pictures))
      router.get("/hello") { _, _ in "hello" }
      router.post("/uploads") { request, context in
        let made = try await request.pictures(by: studio.pictures, in: context, as: ServerContract.variants)
        return ServerContract.answer(made)
      }
      try await withApplication(router, body)
    }
    try await contract.check(rule)
  }
}
