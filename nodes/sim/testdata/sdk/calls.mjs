// Makes each call of the simulator that the network's own SDK has, too, and prints
// what the SDK made of the answers, by call. The address and the token are
// arguments.
import { Client } from '@xdevplatform/xdk'

const [baseUrl, accessToken] = process.argv.slice(2)
const client = new Client({ accessToken, baseUrl })

const me = await client.users.getMe({ userFields: ['description', 'public_metrics'] })
const id = me.data.id
const posted = await client.posts.create({ text: 'From the SDK 👋' })
const fields = { postFields: ['created_at', 'public_metrics', 'author_id'], expansions: ['author_id'], userFields: ['username'] }
const found = await client.posts.searchRecent('#workflows', { maxResults: 10, ...fields })
const timeline = await client.users.getTimeline(id, { maxResults: 5, ...fields })
const next = await client.users.getTimeline(id, { maxResults: 5, paginationToken: timeline.meta.nextToken ?? timeline.meta.next_token, ...fields })
const user = await client.users.getByUsername('grace', { userFields: ['verified'] })
const liked = await client.users.likePost(id, { tweetId: posted.data.id })
const reposted = await client.users.repostPost(id, { tweetId: posted.data.id })
const message = await client.directMessages.createByParticipantId(user.data.id, { text: 'Hello' })
const trends = await client.trends.getByWoeid(1, { maxTrends: 2, trendFields: ['trend_name', 'tweet_count'] })
let twice
try {
  await client.posts.create({ text: 'From the SDK 👋' })
} catch (error) {
  twice = { status: error.status, text: String(error.message) }
}
console.log(JSON.stringify({ me, posted, found, timeline, next, user, liked, reposted, message, trends, twice }))
