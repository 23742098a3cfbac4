// Stands before a server and adds the credential that the suite has no option for. Everything else,
// Host and Origin above all, passes as it came, and streams stay streams.
//
//     node proxy.mjs URL TOKEN     prints the address to use instead
import http from "node:http";

const [target, token] = process.argv.slice(2);
const { hostname, port, pathname } = new URL(target);

const server = http.createServer((request, response) => {
  const headers = { ...request.headers, authorization: `Bearer ${token}` };
  const options = { hostname, port, method: request.method, path: request.url, headers };
  const forwarded = http.request(options, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  forwarded.on("error", () => response.destroy());
  // Whoever goes away in front is gone behind too.
  response.on("close", () => forwarded.destroy());
  request.pipe(forwarded);
});

server.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}${pathname}`);
});
